import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Maximum time without progress of a client that reads a response, in milliseconds. */
const silence = 60_000

/**
 * Sends a stream at the speed of the client and ends the response. Stops when the client disconnects or falls silent.
 */
export async function pipeToResponse(
  req: IncomingMessage,
  res: ServerResponse,
  source: Readable,
): Promise<void> {
  req.socket.setTimeout(silence)
  await pipeline(source, res).catch((error: NodeJS.ErrnoException) => {
    // A client that disconnects early is not an error.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  })
}
