import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { exchange, openRaw } from '../../support/raw.ts'

const app = await startApp({ PUBLIC_URL: '' })
const given = await startApp({ PUBLIC_URL: 'https://given.example/' })

/** The answer to one request on a connection of its own, as a proxy on this machine would ask. */
async function ask(path: string, host: string, headers: readonly string[] = [], { url } = app) {
  const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...headers]
  const [reply] = await exchange(url, `${lines.join('\r\n')}\r\n\r\n`)
  assert.equal(reply?.status, 200)
  return reply
}

/** Where the links of a page begin. */
const rootsOf = (page: string) =>
  new Set([...page.matchAll(/(?:href|src|data-live)="(https?:\/\/[^/"]+\/)/g)].map(([, root]) => root))

const https = 'X-Forwarded-Proto: https'

for (const path of ['/', '/overview']) {
  test(`GET ${path} begins its links with the host of each request, whoever asked before`, async () => {
    for (let time = 0; time < 3; time++) {
      for (const [host, headers, root] of [
        ['one.example', [], 'http://one.example/'],
        ['two.example:81', [], 'http://two.example:81/'],
        ['one.example', [https], 'https://one.example/'],
        ['one.example.evil', [], 'http://one.example.evil/'],
      ] as const) {
        const { body } = await ask(path, host, headers)
        assert.deepEqual([...rootsOf(body)], [root], `time ${time}`)
      }
      assert.equal(rootsOf((await ask(path, '')).body).size, 1)
    }
  })

  test(`GET ${path} begins its links with PUBLIC_URL, whatever host is asked for`, async () => {
    for (const host of ['one.example', 'two.example', 'one.example']) {
      const { body } = await ask(path, host, [https], given)
      assert.deepEqual([...rootsOf(body)], ['https://given.example/'])
    }
  })

  test(`GET ${path} shows what was written since, under each host`, async () => {
    for (const title of ['first', 'second']) {
      await app.call('POST /api/news', { body: { title: `${title} on ${path}`, content: 'x' } })
      for (const host of ['one.example', 'two.example'])
        assert.ok((await ask(path, host)).body.includes(`${title} on ${path}`), host)
    }
  })

  test(`HEAD ${path} has the headers of GET, and who has the page gets 304, each under its host`, async () => {
    const tags = new Set<string>()
    for (let time = 0; time < 2; time++) {
      for (const host of ['one.example', 'two.example']) {
        const { headers } = await ask(path, host)
        const etag = headers.etag ?? ''
        tags.add(etag)
        const raw = await openRaw(app.url)
        raw.write(`HEAD ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
        raw.write(
          `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nIf-None-Match: ${etag}\r\nConnection: close\r\n\r\n`,
        )
        const [head = '', unchanged = '', ...more] = (await raw.closed).split('\r\n\r\n')
        assert.match(head, /^HTTP\/1\.1 200 /)
        assert.ok(head.includes(`Content-Length: ${headers['content-length']}\r\n`))
        assert.ok(head.includes(`ETag: ${etag}\r\n`))
        assert.match(unchanged, /^HTTP\/1\.1 304 /)
        assert.deepEqual(more, [''])
      }
    }
    assert.equal(tags.size, 2)
  })
}

for (const path of ['/', '/api/news', '/api/swagger', `/avatars/${'a'.repeat(32)}`]) {
  test(`GET ${path} answers each request with its own id`, async () => {
    const ids = Array.from({ length: 10 }, (_, at) => `mine-${at}`)
    const replies = await Promise.all(ids.map((id) => ask(path, 'x', [`X-Request-Id: ${id}`])))
    assert.deepEqual(
      replies.map(({ headers }) => headers['x-request-id']),
      ids,
    )
    const own = [await ask(path, 'x'), await ask(path, 'x')].map(({ headers }) => headers['x-request-id'])
    assert.equal(new Set([...own, undefined]).size, 3)
  })
}
