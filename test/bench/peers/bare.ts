import { createServer } from 'node:http'

// The limit: what node:http itself can answer, with nothing to do but to write a constant.

interface Reply {
  headers: string[]
  body: Buffer
}

const replies = new Map<string, Reply>()

/** `/6500` answers with 6,500 bytes; `/6500/8/400` has eight further headers besides, of 400 characters together. */
function replyFor(path: string): Reply {
  const reply = replies.get(path) ?? makeReply(path)
  replies.set(path, reply)
  return reply
}

function makeReply(path: string): Reply {
  const [, size = 0, count = 0, length = 0] = path.split('/').map(Number)
  const value = 'x'.repeat(count === 0 ? 0 : Math.round(length / count))
  const further = Array.from({ length: count }, (_, at) => [`X-Header-${at}`, value]).flat()
  const own = ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(size)]
  return { headers: [...own, ...further], body: Buffer.alloc(size, 'x') }
}

createServer((req, res) => {
  const { headers, body } = replyFor(req.url ?? '/0')
  const answer = () => {
    res.writeHead(200, headers)
    res.end(body)
  }
  // What is sent is read to its end, and dropped.
  if (req.method === 'PUT') req.on('end', answer).resume()
  else answer()
}).listen(Number(process.env.PORT), '127.0.0.1')
