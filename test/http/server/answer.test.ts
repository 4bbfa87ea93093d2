import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { openRaw, parseReplies, type RawReply } from '../../support/raw.ts'
import { until } from '../../support/wait.ts'

const { url } = await startApp()

const post = '{"title":"Heads","content":"are written once"}'
const asked = {
  'a shared read': 'GET /api/news?limit=2',
  'a read that never changes': 'GET /api/v1/gitignore/templates',
  'a read of the clock': 'GET /api/v1/version',
  'a write': `POST /api/news HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${post.length}`,
  'a path that is nobody’s': 'GET /api/nothing',
  'a refusal': 'GET /api/v1/admin/users',
}

/**
 * The answer on a connection that goes on, which has its head from us, and on one that ends, which has it from node.
 */
async function bothAnswers(request: string): Promise<[RawReply, RawReply]> {
  const [line = '', ...headers] = request.split('\r\n')
  const first = line.endsWith('1.1') ? line : `${line} HTTP/1.1`
  const text = (more: string) =>
    [first, 'Host: x', more, ...headers, '', headers.length ? post : ''].join('\r\n')
  const raw = await openRaw(url)
  raw.write(text('Accept: */*'))
  await until('the first answer is there', () => raw.received().includes('\r\n\r\n'))
  raw.write(text('Connection: close'))
  const [ours, nodes, ...more] = parseReplies(await raw.closed)
  assert.ok(ours && nodes && more.length === 0)
  return [ours, nodes]
}

for (const [what, request] of Object.entries(asked)) {
  test(`${what} has the head that node:http would write`, async () => {
    const [ours, nodes] = await bothAnswers(request)
    assert.equal(ours.headers.connection, 'keep-alive')
    assert.equal(nodes.headers.connection, 'close')
    assert.equal(ours.status, nodes.status)
    assert.deepEqual(Object.keys(ours.headers), Object.keys(nodes.headers))
    const { date, connection, 'x-request-id': id, ...same } = ours.headers
    for (const [name, value] of Object.entries(same)) assert.equal(nodes.headers[name], value, name)
    assert.ok(id && id !== nodes.headers['x-request-id'])
    assert.equal(new Date(date ?? '').toUTCString(), date)
    assert.ok(Math.abs(Date.parse(date ?? '') - Date.now()) < 10_000)
  })
}

test('each caller of a shared answer gets its own request id', async () => {
  const ids = Array.from({ length: 20 }, (_, at) => `caller-${at}`)
  const answers = await Promise.all(
    ids.map((id) => fetch(`${url}/api/news`, { headers: { 'x-request-id': id } })),
  )
  assert.deepEqual(
    answers.map(({ headers }) => headers.get('x-request-id')),
    ids,
  )
})

for (const [what, character] of Object.entries({
  ASCII: 'a',
  'Latin-1': 'é',
  'the plane of most': '€',
  'another plane': '𝄞',
})) {
  for (const length of [1, 15 * 1024 - 100, 15 * 1024 + 100]) {
    test(`${length} characters of ${what} have their bytes, on a connection that goes on and on one that ends`, async () => {
      const content = character.repeat(length)
      const answers = await Promise.all(
        ['keep-alive', 'close'].map((connection) =>
          send(`${url}/api/news`, { connection }, JSON.stringify({ title: 'Length', content })),
        ),
      )
      for (const { headers, bytes } of answers) {
        assert.equal(headers['content-length'], String(bytes.length))
        assert.equal(JSON.parse(bytes.toString()).content, content)
      }
    })
  }
}

/** Posts JSON; gives the answer's headers and bytes. */
async function send(to: string, headers: Record<string, string>, body: string) {
  const req = request(to, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } })
  const [answer] = await once(req.end(body), 'response')
  return { headers: answer.headers, bytes: Buffer.concat(await answer.toArray()) }
}
