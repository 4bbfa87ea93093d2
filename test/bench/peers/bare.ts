import { createServer } from 'node:http'

// The limit: what node:http itself can answer, with nothing to do but to write a constant.

const replies = new Map<string, Buffer>()

/** `/6500` answers with 6,500 bytes. */
function replyFor(path: string): Buffer {
  const reply = replies.get(path) ?? Buffer.alloc(Number(path.slice(1)), 'x')
  replies.set(path, reply)
  return reply
}

createServer((req, res) => {
  const reply = replyFor(req.url ?? '/0')
  res.writeHead(200, [
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    String(reply.length),
  ])
  res.end(reply)
}).listen(Number(process.env.PORT), '127.0.0.1')
