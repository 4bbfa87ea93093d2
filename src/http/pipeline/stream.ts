import type { Stream } from '../route/results.ts'
import type { Exchange } from './exchange.ts'
import type { Reply } from './reply.ts'
import type { ReportRequest } from './send.ts'

/** Lets a stream use the request and response itself, and reports the request when it is done. */
export async function serveStream(
  exchange: Exchange,
  reply: Reply,
  stream: Stream,
  report: ReportRequest,
): Promise<void> {
  const { req, res, id } = exchange
  const { socket } = req
  const bytesBefore = socket.bytesWritten
  const silence = socket.timeout ?? 0
  socket.setTimeout(0)
  for (let at = 0; at < reply.headers.length; at += 2) {
    res.setHeader(reply.headers[at] ?? '', reply.headers[at + 1] ?? '')
  }
  res.setHeader('X-Request-Id', id)
  try {
    await stream(req, res, exchange.from)
  } catch (error) {
    // A partial response cannot be replaced; close the connection so that the client does not take it for complete.
    if (res.headersSent) res.destroy()
    throw error
  } finally {
    socket.setTimeout(silence)
  }
  report(exchange, res.statusCode, socket.bytesWritten - bytesBefore)
}
