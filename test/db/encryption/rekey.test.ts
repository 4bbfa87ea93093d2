import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { beginOn } from '../../../src/db/begin.ts'
import { rekeyColumn } from '../../../src/db/encryption/rekey.ts'
import { createSecrets } from '../../../src/db/encryption/secrets.ts'
import { encryptedColumns } from '../../../src/forge/encrypted-columns.ts'
import { openTestDatabase } from '../../support/database.ts'

const { pool, close } = await openTestDatabase()
after(close)
const begin = beginOn(pool, () => new Date('2026-01-31T08:00:00Z'))
const [oldKey, newKey] = [
  'the old key, which is long enough for one',
  'the new key, which is long enough for one',
] as const
const before = createSecrets([oldKey])
const both = createSecrets([newKey, oldKey])
const afterwards = createSecrets([newKey])
const where = encryptedColumns['secrets of Actions']
assert.ok(where)
const { purpose } = where
const parts = { sql: pool, begin, secrets: both }

const [owner] = await pool<{ id: number }[]>`
  insert into forge.account (kind, name, created_at, updated_at)
  values ('organization', 'guild', '2026-01-01', '2026-01-01') returning id`

/** Rows sealed under the old key, with these ids. */
async function fill(first: number, count: number): Promise<void> {
  for (let id = first; id < first + count; id++)
    await pool`
      insert into forge.secret (id, owner_id, name, description, sealed, created_at, updated_at)
      values (${id}, ${owner?.id ?? 0}, ${`S${id}`}, '', ${before.encrypt(`text ${id}`, purpose(id))},
        '2026-01-01', '2026-01-01')`
}

const stored = () => pool<{ id: number; sealed: Buffer; updated_at: string }[]>`
  select id, sealed, updated_at from forge.secret order by id`

test('everything encrypted with another key is encrypted with the first, in batches, and otherwise unchanged', async () => {
  await fill(1, 230)
  assert.deepEqual(await rekeyColumn(parts, where), { rewritten: 230, current: 0, unreadable: [] })
  for (const { id, sealed, updated_at } of await stored()) {
    assert.equal(afterwards.decrypt(sealed, purpose(id)), `text ${id}`)
    assert.equal(updated_at, '2026-01-01T00:00:00.000Z')
  }
  assert.deepEqual(await rekeyColumn(parts, where), { rewritten: 0, current: 230, unreadable: [] })
})

test('a text that no key decrypts is reported and stays; the others are encrypted again', async () => {
  await fill(1000, 3)
  const stray = createSecrets(['a key that nobody has any more, alas']).encrypt('lost', purpose(1001))
  await pool`update forge.secret set sealed = ${stray} where id = 1001`
  const { rewritten, current, unreadable } = await rekeyColumn(parts, where)
  assert.deepEqual([rewritten, current], [2, 230])
  assert.deepEqual(unreadable, [
    { key: [1001], error: 'it was encrypted with a key that SECRET_KEY does not hold' },
  ])
  const [left] = await pool<{ sealed: Buffer }[]>`select sealed from forge.secret where id = 1001`
  assert.ok(left?.sealed.equals(stray))
  await pool`delete from forge.secret where id >= 1000`
})

test('what others write and remove meanwhile is neither lost nor brought back', async () => {
  await pool`delete from forge.secret`
  await fill(1, 150)
  const write = async () => {
    for (let id = 1; id <= 150; id += 3) {
      const sealed = both.encrypt(`changed ${id}`, purpose(id))
      await pool`update forge.secret set sealed = ${sealed} where id = ${id}`
      await pool`delete from forge.secret where id = ${id + 1}`
    }
  }
  const [{ unreadable }] = await Promise.all([rekeyColumn(parts, where), write()])
  assert.deepEqual(unreadable, [])
  await rekeyColumn(parts, where)
  const rows = await stored()
  assert.equal(rows.length, 100)
  for (const { id, sealed } of rows)
    assert.equal(afterwards.decrypt(sealed, purpose(id)), `${id % 3 === 1 ? 'changed' : 'text'} ${id}`)
})

test('texts with keys of several columns are encrypted again, each for its row', async () => {
  const history = encryptedColumns['addresses in the history of webhooks']
  assert.ok(history)
  const [hook] = await pool<{ id: number }[]>`
    insert into forge.hook (scope, type, url, content_type, events, active, created_at, updated_at)
    values ('system', 'gitea', 'http://x.example/', 'json', '{}', true, '2026-01-01', '2026-01-01') returning id`
  const deliveries = await pool<{ id: number }[]>`
    insert into forge.hook_delivery (uuid, hook_id, event, event_type, body, due_at, created_at)
    select gen_random_uuid(), ${hook?.id ?? 0}, 'push', 'push', '{}', '2026-01-01', '2026-01-01'
    from generate_series(1, 51)
    returning id`
  for (const { id } of deliveries)
    for (const number of [1, 2, 3])
      await pool`
        insert into forge.hook_attempt
          (delivery_id, number, started_at, duration_ms, request_method, address, request_headers)
        values (${id}, ${number}, '2026-01-01', 1, 'POST',
          ${before.encrypt(`${id} ${number}`, history.purpose(id, number))}, '{}')`
  assert.deepEqual(await rekeyColumn(parts, history), { rewritten: 153, current: 0, unreadable: [] })
  const rows = await pool<{ id: number; number: number; address: Buffer }[]>`
    select delivery_id as id, number, address from forge.hook_attempt`
  for (const { id, number, address } of rows)
    assert.equal(afterwards.decrypt(address, history.purpose(id, number)), `${id} ${number}`)
  const [last] = deliveries.slice(-1)
  const stray = createSecrets(['a key that nobody has any more, alas']).encrypt('lost', 'any')
  await pool`update forge.hook_attempt set address = ${stray} where delivery_id = ${last?.id ?? 0} and number = 2`
  const { current, unreadable } = await rekeyColumn(parts, history)
  assert.deepEqual([current, unreadable.map(({ key }) => key)], [152, [[last?.id, 2]]])
})

test('every bytea column is either in the list of encrypted columns or holds no readable secret', async () => {
  const columns = await pool<{ name: string }[]>`
    select table_schema || '.' || table_name || '.' || column_name as name
    from information_schema.columns
    where data_type = 'bytea' and table_schema in ('forge', 'forgehall', 'site')
    order by name`
  const hashesAndTexts = [
    'forge.action_job.payload',
    'forge.action_runner.token_hash',
    'forge.action_runner_token.token_hash',
    'forge.action_task.token_hash',
    // Public keys.
    'forge.gpg_key.certificate',
    'forge.gpg_key.packet',
    'forgehall.idempotency_key.digest',
    'forgehall.idempotency_key.request',
    'site.sent_form.digest',
  ]
  const sealed = Object.values(encryptedColumns).map(({ table, column }) => `${table}.${column}`)
  assert.deepEqual(
    columns.map(({ name }) => name),
    [...sealed, ...hashesAndTexts].sort(),
  )
})
