import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openHome, runBinary, serveBinary, stopBinary } from '../support/binary.ts'
import { onServer } from '../support/database.ts'
import { until } from '../support/wait.ts'
import { keepsStatements, pgbouncerVersion, startPgBouncer } from './pgbouncer.ts'

const modes = [
  { mode: 'session', skip: skipUnless(pgbouncerVersion !== undefined) },
  { mode: 'transaction', skip: skipUnless(keepsStatements) },
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

test('a pooler that loses prepared statements is refused at start with exit code 2, and named by doctor', {
  skip: keepsStatements ? 'it is newer' : skipUnless(pgbouncerVersion !== undefined),
}, async () => {
  const home = await openHome()
  const pooler = await startPgBouncer(home.environment.DATABASE_URL ?? '', 'transaction')
  after(() => pooler.close())
  const environment = { ...home.environment, DATABASE_URL: pooler.url, PORT: '0' }
  const advice = 'set pool_mode = session, or use PgBouncer 1.21 or newer with max_prepared_statements'
  assert.deepEqual(await runBinary([], environment).then(({ code, err }) => [code, err]), [
    2,
    `forgehall: the pooler at DATABASE_URL loses prepared statements; ${advice}\n`,
  ])
  const { code, out } = await runBinary(['doctor'], environment)
  assert.equal(code, 1)
  assert.match(out, /^failed {3}pooler +loses prepared statements/m)
  assert.ok(out.includes(`→ ${advice}`))
})
