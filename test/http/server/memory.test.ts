import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startApp } from '../../support/app.ts'
import { exchange, openRaw } from '../../support/raw.ts'
import { turns, until } from '../../support/wait.ts'

setFlagsFromString('--expose-gc')
const gc: () => void = runInNewContext('gc')

const { url, pool } = await startApp({ LOG_LEVEL: 'silent', BODY_LIMIT: '64k' })

/** Bytes in use after everything that can be freed has been. */
async function inUse(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    await turns()
    gc()
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const json = { 'content-type': 'application/json' }
const close = 'Host: x\r\nConnection: close\r\n'

/** One of each kind of request that is refused, none of them like the one before. */
const bad: ((at: number) => Promise<unknown>)[] = [
  (at) => post('/api/news', `{"title":"${'x'.repeat(20_000)}","n":${at}`),
  (at) => post('/api/media', JSON.stringify({ title: `t${at}`, media_type: 'x', url: 'y'.repeat(20_000) })),
  (at) => post('/api/stats/session/start', JSON.stringify({ username: `${at}`.padEnd(5000, 'n') })),
  (at) => post('/api/stats/session/end', JSON.stringify({ sessionId: at + 1e9 })),
  (at) => post('/api/news', '"'.padEnd(70_000 + at, 'z')),
  (at) => ask(`/api/nothing/${at}/${'p'.repeat(5000)}`),
  (at) => ask(`/api/news/${at}`, { method: 'PUT' }),
  (at) =>
    ask('/api/health', { headers: { 'x-request-id': `bad id ${at}`, 'if-none-match': '"a",'.repeat(1000) } }),
  (at) => exchange(url, `GET /${at} HTTP/1.1\r\n${close}X: ${'h'.repeat(30_000)}\r\n\r\n`),
  (at) => exchange(url, `garbage ${at}\r\n\r\n`),
  async () => {
    const raw = await openRaw(url)
    raw.write(
      `POST /api/news HTTP/1.1\r\n${close}${'Content-Type: application/json\r\n'}Content-Length: 9999\r\n\r\n{"ti`,
    )
    await turns(1)
    raw.socket.resetAndDestroy()
    await raw.closed
  },
]

async function ask(path: string, init: RequestInit = {}) {
  const response = await fetch(url + path, init)
  await response.arrayBuffer()
}

const post = (path: string, body: string) => ask(path, { method: 'POST', headers: json, body })

async function volley(count: number): Promise<void> {
  const lanes = Array.from({ length: 8 }, async (_, lane) => {
    for (let at = lane; at < count; at += 8) await bad[at % bad.length]?.(at)
  })
  await Promise.all(lanes)
}

test('two thousand bad requests of every kind leave nothing behind, in memory or in the database', async () => {
  await volley(300)
  const before = await inUse()
  await volley(2000)
  const bound = before + 8 * 1024 * 1024
  await until('the memory is free again', async () => (await inUse()) < bound)
  const [row] = await pool<[{ rows: number }]>`
    select (select count(*) from site.news_post) + (select count(*) from site.media_item)
      + (select count(*) from site.visitor) as rows`
  assert.equal(row.rows, 0)
})
