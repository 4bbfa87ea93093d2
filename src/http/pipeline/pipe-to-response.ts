import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Longest silence of a client that reads, in milliseconds. */
const silence = 60_000

/** Sends what is read as fast as the client takes it, and ends the response. One that leaves or falls silent ends it too. */
export async function pipeToResponse(
  req: IncomingMessage,
  res: ServerResponse,
  reading: Readable,
): Promise<void> {
  req.socket.setTimeout(silence)
  await pipeline(reading, res).catch((error: NodeJS.ErrnoException) => {
    // Whoever leaves early is no failure of ours.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  })
}
