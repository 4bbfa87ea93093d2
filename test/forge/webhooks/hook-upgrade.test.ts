import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { encryptPlaintext } from '../../../src/db/encryption/plaintext.ts'
import { openPool } from '../../../src/db/open.ts'
import { encryptedColumns } from '../../../src/forge/encrypted-columns.ts'
import { hookPurpose } from '../../../src/forge/webhooks/delivery/hook-secrets.ts'
import { serveApp } from '../../support/app.ts'
import { startBackground } from '../../support/background.ts'
import { openFormerDatabase } from '../../support/database.ts'
import { makersFor, testSecrets } from '../../support/forge/make.ts'
import { startReceiver } from '../../support/receiver.ts'
import { tablesHolding } from '../../support/traces.ts'
import { until } from '../../support/wait.ts'

/** What the program before 0019_sealed_addresses left. */
const database = await openFormerDatabase('0019')
const { pool } = database
const receiver = await startReceiver()
const [token, password] = ['t0ken-in-path', 'pass-in-url']
const target = `/services/${token}?key=${token}`
const address = `${receiver.url.replace('//', `//ada:${password}@`)}${target}`
const shown = `${receiver.url.replace('//', '//******@')}${target}`
/** More than one piece of either. */
const [hooks, attempts] = [700, 2]
await pool`
  insert into forge.hook (scope, type, url, content_type, events, active, created_at, updated_at)
  select 'system', 'gitea', ${address}, 'json', '{push}', true, '2026-01-01', '2026-01-01'
  from generate_series(1, ${hooks})`
await pool`
  insert into forge.hook_delivery (uuid, hook_id, event, event_type, body, attempts, due_at, created_at)
  select gen_random_uuid(), id, 'push', 'push', '{}', ${attempts}, case id when 1 then '2026-01-01'::date else '2999-01-01' end,
    '2026-01-01'
  from forge.hook
  order by id`
await pool`
  insert into forge.hook_attempt
    (delivery_id, number, started_at, duration_ms, request_method, request_url, request_headers, error)
  select id, number, '2026-01-01', 1, 'POST', ${shown}, '{}', 'away'
  from forge.hook_delivery, generate_series(1, ${attempts}) as number`
await pool`
  update forge.hook set secret = ${testSecrets.encrypt('hush', hookPurpose.secret(2))} where id = 2`
await database.upgrade()

const app = await serveApp(database)
after(async () => {
  await app.close()
  await database.close()
})
const { call, clock } = app
const boss = await makersFor(app).admin({ name: 'boss' })
const seal = (secrets = testSecrets, on = pool) => encryptPlaintext({ pool: on, secrets }, encryptedColumns)
const [listSite, showSite, editSite, showDelivery] = [
  'GET /api/v1/admin/hooks',
  'GET /api/v1/admin/hooks/{id}',
  'PATCH /api/v1/admin/hooks/{id}',
  'GET /api/v1/admin/hooks/{id}/deliveries/{delivery}',
]
const addressOf = async (id: number) => (await call(showSite, { as: boss, params: { id } })).body.config.url

/** What callers see of the addresses. */
async function look() {
  const list = await call(listSite, { as: boss, query: { page: 14, limit: 50 } })
  const one = await call(showDelivery, { as: boss, params: { id: 2, delivery: 2 } })
  const urls = one.body.history.map(({ request }: { request: { url: string } }) => request.url)
  return [
    list.body.length,
    ...list.body.map(({ config }: { config: { url: string } }) => config.url),
    ...urls,
  ]
}
const seen = [50, ...Array(50 + attempts).fill(shown)]

test(`${listSite}, ${showDelivery}: plaintext of an earlier version is shown as before`, async () => {
  assert.deepEqual(await look(), seen)
  assert.deepEqual(await tablesHolding(pool, token), ['forge.hook', 'forge.hook_attempt'])
})

test('several processes encrypt plaintext, each row once, and leave none in any table', async () => {
  const { url } = database
  const pools = url === undefined ? [pool, pool] : [1, 2, 3].map(() => openPool({ url, poolSize: 1 }))
  const done = await Promise.all(pools.map((each) => seal(testSecrets, each)))
  if (url !== undefined) await Promise.all(pools.map((each) => each.end({ timeout: 5 })))
  const sum = (what: string) => done.reduce((total, each) => total + (each[what] ?? 0), 0)
  assert.equal(sum('addresses of webhooks'), hooks)
  assert.equal(sum('addresses in the history of webhooks'), hooks * attempts)
  for (const text of [token, password]) assert.deepEqual(await tablesHolding(pool, text), [], text)
  const [left] = await pool`
    select (select count(*)::int from forge.hook where url is not null or address is null) as hooks,
      (select count(*)::int from forge.hook_attempt where request_url is not null or address is null) as attempts`
  assert.deepEqual(left, { hooks: 0, attempts: 0 })
  assert.deepEqual(await look(), seen)
  assert.deepEqual(Object.values(await seal()), [0, 0, 0])
})

test('earlier queued deliveries are sent with user and password, and their attempts are encrypted', async () => {
  const background = startBackground({ pool, clock })
  await until('it is there', () => receiver.received.length === 1)
  const history = await until('it is delivered', async () => {
    const { body } = await call(showDelivery, { as: boss, params: { id: 1, delivery: 1 } })
    return body.state === 'succeeded' && body.history
  })
  await background.stop()
  const [first] = receiver.received
  assert.equal(first?.target, target)
  assert.equal(first?.headers.authorization, `Basic ${btoa(`ada:${password}`)}`)
  assert.deepEqual([history.length, history[2].request.url], [attempts + 1, shown])
  assert.deepEqual(await tablesHolding(pool, token), [])
})

test(`${editSite}: what an earlier version writes meanwhile counts, and is encrypted at the next change or start`, async () => {
  const later = 'https://later.example/in'
  await pool`update forge.hook set url = ${later} where id in (3, 4)`
  await pool`update forge.hook_attempt set request_url = ${later} where delivery_id = 4 and number = 1`
  assert.equal(await addressOf(3), later)
  const edited = await call(editSite, { as: boss, params: { id: 3 }, body: { active: false } })
  assert.deepEqual([edited.status, edited.body.config.url], [200, later])
  assert.deepEqual(await seal(), {
    'addresses of webhooks': 1,
    'addresses in the history of webhooks': 1,
    'registration tokens of runners': 0,
  })
  assert.deepEqual([await addressOf(3), await addressOf(4)], [later, later])
  assert.deepEqual(await tablesHolding(pool, 'later.example/in'), [])
})
