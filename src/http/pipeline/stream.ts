import type { Log } from '../../log.ts'
import type { Stream } from '../route/results.ts'
import type { Exchange } from './exchange.ts'
import type { Reply } from './reply.ts'
import { record } from './send.ts'

/** Lends the streams of a request, and writes its log line when they come back. */
export async function serveStream(visit: Exchange, reply: Reply, stream: Stream, log: Log): Promise<void> {
  const { req, res, id } = visit
  const { socket } = req
  const before = socket.bytesWritten
  const silence = socket.timeout ?? 0
  socket.setTimeout(0)
  for (let at = 0; at < reply.headers.length; at += 2) {
    res.setHeader(reply.headers[at] ?? '', reply.headers[at + 1] ?? '')
  }
  res.setHeader('X-Request-Id', id)
  try {
    await stream(req, res)
  } catch (error) {
    // Half an answer cannot be taken back; whoever reads it must not take it for a whole one.
    if (res.headersSent) res.destroy()
    throw error
  } finally {
    socket.setTimeout(silence)
  }
  record(visit, res.statusCode, socket.bytesWritten - before, log)
}
