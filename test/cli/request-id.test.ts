import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openPool } from '../../src/db/open.ts'
import { openHome, serveBinary, stopBinary } from '../support/binary.ts'
import { onServer } from '../support/database.ts'
import { temporaryFolder } from '../support/folder.ts'
import { client, clientOk } from '../support/git.ts'
import { gitBehind } from '../support/git-program.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/wait.ts'

/** One request, followed to wherever it leads. */

const folder = await temporaryFolder()
const home = await openHome()
const receiver = await startReceiver()
const token = '0123456789abcdef0123456789abcdef01234567'
const server = await serveBinary({
  ...home.environment,
  // Notes the request of each git process that serves one.
  PATH: await gitBehind(folder, 'echo "$FORGEHALL_REQUEST_ID $*" >> "$here/runs"'),
  ADMIN_USERNAME: 'ada',
  ADMIN_TOKEN: token,
  WEBHOOK_ALLOWED_HOSTS: 'loopback',
  ...(onServer && { DATABASE_REQUEST_ID: 'true' }),
  LOG_LEVEL: 'debug',
})
after(() => server.signal('SIGKILL'))

async function ask(id: string, method: string, target: string, body: object): Promise<void> {
  const headers = {
    authorization: `token ${token}`,
    'content-type': 'application/json',
    'x-request-id': id,
  }
  const response = await fetch(`${server.url}/api/v1${target}`, {
    method,
    headers,
    body: JSON.stringify(body),
  })
  assert.ok(response.ok, `${id}: ${response.status} ${await response.text()}`)
  assert.equal(response.headers.get('x-request-id'), id)
}

const runs = async () => (await readFile(join(folder, 'runs'), 'utf8')).split('\n')
const deliveries = (event: string) =>
  receiver.received.filter(({ headers }) => headers['x-gitea-event'] === event)
const idsOf = (event: string) => deliveries(event).map(({ headers }) => headers['x-request-id'])

await ask('make-1', 'POST', '/user/repos', { name: 'engine', auto_init: true })
await ask('hook-1', 'POST', '/repos/ada/engine/hooks', {
  type: 'gitea',
  active: true,
  events: ['push', 'issues'],
  config: { url: receiver.url, content_type: 'json' },
})

test('git processes that a request starts have its id in their environment', async () => {
  assert.ok((await runs()).some((line) => /^make-1 .*fast-import/.test(line)))
})

test('deliveries of issues have the id of their request, also of those that were created together', async () => {
  const ids = Array.from({ length: 6 }, (_, at) => `issue-${at}`)
  await Promise.all(ids.map((id) => ask(id, 'POST', '/repos/ada/engine/issues', { title: id })))
  await until('all are delivered', () => deliveries('issues').length === ids.length)
  for (const { headers, body } of deliveries('issues'))
    assert.equal(headers['x-request-id'], JSON.parse(body).issue.title)
  const logged = await until('the log says so', () => {
    const lines = server.lines().filter(({ message, event }) => message === 'webhook' && event === 'issues')
    return lines.length === ids.length && lines
  })
  assert.deepEqual(logged.map(({ id }) => id).sort(), ids)
})

test('a push is followed through git to the webhooks', async () => {
  const url = server.url.replace('http://', `http://ada:${token}@`)
  const id = ['-c', 'http.extraHeader=X-Request-Id: push-1']
  await clientOk(folder, ...id, 'clone', '-q', `${url}/ada/engine.git`, 'clone')
  const clone = join(folder, 'clone')
  await clientOk(clone, 'commit', '-q', '--allow-empty', '-m', 'again')
  const pushed = await client(clone, ...id, 'push', '-q', 'origin', 'HEAD')
  assert.equal(pushed.code, 0, pushed.stderr)
  await until('the push is delivered', () => deliveries('push').length === 1)
  assert.deepEqual(idsOf('push'), ['push-1'])
  for (const command of ['upload-pack', 'receive-pack', 'log'])
    assert.ok(
      (await runs()).some((line) => line.startsWith('push-1 ') && line.includes(command)),
      command,
    )
})

test('PostgreSQL knows the request whose transaction is open', {
  skip: !onServer && 'embedded',
}, async () => {
  const pool = openPool({ url: home.environment.DATABASE_URL ?? '', poolSize: 2 })
  const names = async () => {
    const rows = await pool<{ name: string }[]>`
        select application_name as name
        from pg_stat_activity
        where datname = current_database() and state <> 'idle'`
    return rows.map(({ name }) => name)
  }
  await ask('org-1', 'POST', '/orgs', { username: 'guild' })
  const long = `held-${'x'.repeat(80)}`
  let asked: Promise<void> | undefined
  await pool.begin(async (tx) => {
    await tx`select id from forge.account where name = 'guild' for update`
    asked = ask(long, 'PATCH', '/orgs/guild', { description: 'held' })
    await until('the transaction is named', async () =>
      (await names()).includes(`forgehall ${long}`.slice(0, 63)),
    )
  })
  await asked
  const [row] = await pool<[{ count: number }]>`
      select count(*) from pg_stat_activity where application_name like 'forgehall held-%'`
  assert.equal(row.count, 0, 'the name goes with the transaction')
  await pool.end({ timeout: 1 })
})

test('the log has neither what requests carry nor their token', async () => {
  await ask('kept-1', 'POST', '/orgs', { username: 'kept', description: 'not in the log' })
  const { out } = await stopBinary(server)
  assert.match(out, /"id":"kept-1"/)
  assert.doesNotMatch(out, /not in the log/)
  assert.ok(!out.includes(token))
})
