import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openHome, serveBinary, stopBinary } from '../support/binary.ts'
import { onServer } from '../support/database.ts'
import { until } from '../support/wait.ts'
import { pgbouncerVersion, startPgBouncer } from './pgbouncer.ts'

const [major = 0, minor = 0] = pgbouncerVersion?.split('.').map(Number) ?? []
const modes = [
  { mode: 'session', skip: skipUnless(pgbouncerVersion !== undefined) },
  // Earlier releases lose prepared statements between transactions.
  { mode: 'transaction', skip: skipUnless(major > 1 || minor >= 21) },
] as const

function skipUnless(isUsable: boolean): string | false {
  if (!onServer) return 'the embedded database has no pooler'
  return isUsable ? false : `PgBouncer ${pgbouncerVersion ?? 'is not installed'}`
}

async function publish(url: string, title: string): Promise<number> {
  const response = await fetch(`${url}/api/news`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title, content: 'text' }),
  })
  await response.arrayBuffer()
  return response.status
}

for (const { mode, skip } of modes) {
  test(`the server works through PgBouncer in ${mode} mode, also after the pooler was killed`, {
    skip,
  }, async () => {
    const home = await openHome()
    const pooler = await startPgBouncer(home.environment.DATABASE_URL ?? '', mode)
    after(() => pooler.close())
    const server = await serveBinary({
      ...home.environment,
      DATABASE_URL: pooler.url,
      DATABASE_TIMEOUT: '5s',
    })
    const many = await Promise.all(Array.from({ length: 15 }, (_, at) => publish(server.url, `post ${at}`)))
    assert.deepEqual(new Set(many), new Set([201]))

    await pooler.kill()
    assert.equal(await publish(server.url, 'while the pooler is gone'), 503)
    await pooler.start()
    await until('posts are taken again', async () => (await publish(server.url, 'afterwards')) === 201)
    const posts: { title: string }[] = await (await fetch(`${server.url}/api/news`)).json()
    assert.ok(posts.some(({ title }) => title === 'post 0'))
    assert.equal(posts.filter(({ title }) => title === 'while the pooler is gone').length, 0)
    assert.equal((await stopBinary(server)).code, 0)
  })
}
