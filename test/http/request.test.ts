import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { after, test } from 'node:test'
import { readBody } from '../../src/http/body.ts'
import { createHttpServer, listen, stop } from '../../src/http/server.ts'
import { siteApi } from '../../src/site/api.ts'
import { exchange, type RawReply } from '../support/raw.ts'
import { turns } from '../support/wait.ts'

/** Requests of the test that runs, in their order. */
const heard: IncomingMessage[] = []

/** What is done with a request before it is answered with a word. */
const ways: Record<string, (req: IncomingMessage) => Promise<unknown>> = {
  '/left': async () => 'left',
  '/left/later': () => turns().then(() => 'left'),
  '/read': async (req) => readBody(req, { bytes: 1e6, milliseconds: 1000 }),
  '/read/later': async (req) => {
    await turns()
    return readBody(req, { bytes: 1e6, milliseconds: 1000 })
  },
  '/events': async (req) => {
    let text = ''
    req.on('data', (bytes) => {
      text += bytes
    })
    await once(req, 'end')
    return text
  },
  '/iterated': async (req) => {
    await turns()
    let text = ''
    for await (const bytes of req) text += bytes
    return text
  },
}

async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
  heard.push(req)
  res.end(String(await ways[req.url ?? '']?.(req)))
}

const server = createHttpServer(handle, siteApi.voice)
const url = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`
after(() => stop(server, 0))

/** Sends requests on one connection, all in one piece, and a last one that ends it. */
async function answersTo(...requests: string[]): Promise<RawReply[]> {
  heard.length = 0
  const last = 'GET /left HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  const replies = await exchange(url, requests.join('') + last)
  assert.equal(replies.pop()?.body, 'left')
  return replies
}

const long = 'x'.repeat(200_000)

/** The header that announces each, what is sent, and what that says. */
const bodies = {
  'no body': ['', '', ''],
  'an empty body': ['Content-Length: 0\r\n', '', ''],
  'an empty body in chunks': ['Transfer-Encoding: chunked\r\n', '0\r\n\r\n', ''],
  'a short body': ['Content-Length: 5\r\n', 'short', 'short'],
  'a short body in chunks': ['Transfer-Encoding: chunked\r\n', '2\r\nsh\r\n3\r\nort\r\n0\r\n\r\n', 'short'],
  'a body longer than a stream holds': ['Content-Length: 200000\r\n', long, long],
} as const

for (const [what, [header, sent, text]] of Object.entries(bodies)) {
  for (const path of Object.keys(ways)) {
    test(`a request with ${what} to ${path} is answered, and so is the next on its connection`, async () => {
      const request = `POST ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n${sent}`
      const replies = await answersTo(request, request)
      const answer = path.startsWith('/left') ? 'left' : text
      assert.deepEqual(
        replies.map(({ status, body }) => [status, body]),
        [
          [200, answer],
          [200, answer],
        ],
      )
      for (const req of heard) assert.ok(req.complete)
    })
  }
}

test('nobody drains a request whose end nobody waits for', async () => {
  await answersTo('GET /left HTTP/1.1\r\nHost: x\r\n\r\n', 'GET /left/later HTTP/1.1\r\nHost: x\r\n\r\n')
  assert.deepEqual(
    heard.map(({ complete, readableFlowing, readableEnded }) => [complete, readableFlowing, readableEnded]),
    heard.map(() => [true, null, false]),
  )
})

test('node:http itself drains it', async () => {
  const plain = createServer(handle)
  after(() => stop(plain, 0))
  const address = `http://127.0.0.1:${await listen(plain, 0, '127.0.0.1')}`
  heard.length = 0
  await fetch(`${address}/left`).then((response) => response.text())
  assert.equal(heard[0]?.readableFlowing, true)
})
