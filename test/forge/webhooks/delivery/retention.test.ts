import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { beginOn } from '../../../../src/db/begin.ts'
import { insertDeliveries } from '../../../../src/forge/webhooks/delivery/delivery-store.ts'
import { cleanupHookTaskTable, parseRetention } from '../../../../src/forge/webhooks/delivery/retention.ts'
import { createLog } from '../../../../src/log.ts'
import { openTestDatabase } from '../../../support/database.ts'

const database = await openTestDatabase()
after(() => database.close())
const { pool } = database
const now = new Date('2026-01-31T08:00:00Z')

test('a duration or a number of deliveries is read, anything else is a fault', () => {
  assert.deepEqual(parseRetention('168h'), { ok: true, value: { milliseconds: 168 * 3_600_000 } })
  assert.deepEqual(parseRetention('10'), { ok: true, value: { newest: 10 } })
  assert.deepEqual(parseRetention('0'), { ok: true, value: { newest: 0 } })
  for (const text of ['', '-1', '0h', '1.5', '1 week', '9999999999'])
    assert.ok(!parseRetention(text).ok, text)
})

test('the newest deliveries of each hook and the waiting ones stay', async () => {
  const hooks = await pool<{ id: number }[]>`
    insert into forge.hook (scope, type, url, content_type, events, active, created_at, updated_at)
    select 'system', 'gitea', 'http://example.com/', 'json', '{}', true, ${now}, ${now} from generate_series(1, 2)
    returning id`
  const retained: number[] = []
  for (const { id: hook_id } of hooks) {
    const one = { hook_id, event: 'push', event_type: 'push', body: '{}' }
    const ids = await insertDeliveries(
      pool,
      Array.from({ length: 6 }, () => one),
      now,
    )
    const [waiting] = ids
    await pool`
      update forge.hook_delivery set state = 'failed', finished_at = ${now}
      where hook_id = ${hook_id} and id <> ${waiting ?? 0}`
    retained.push(...ids.filter((_, at) => at === 0 || at > 3))
  }
  const { signal } = new AbortController()
  const run = { sql: pool, begin: beginOn(pool, () => now), now, log: createLog('silent'), signal }
  assert.equal(await cleanupHookTaskTable({ newest: 2 }).run(run), '6 removed')
  const left = await pool<{ id: number }[]>`select id from forge.hook_delivery order by id`
  assert.deepEqual(
    left.map(({ id }) => id),
    retained,
  )
  assert.equal(await cleanupHookTaskTable({ newest: 2 }).run(run), undefined)
})
