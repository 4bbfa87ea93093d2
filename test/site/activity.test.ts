import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertActivity, newestActivity } from '../../src/site/activity-store.ts'
import { startApp } from '../support/app.ts'

const { call, clock, pool } = await startApp()

const recent = async () => (await call('GET /api/stats/overview')).body.recentActivity

test('GET /api/stats/overview shows no activity while there is none', async () => {
  assert.deepEqual(await recent(), [])
})

test('insertActivity stores entries in their order and returns them', async () => {
  const entries = await insertActivity(pool, ['first', 'second', '𝄞 {a,"b"} \\N'], clock.now())
  assert.deepEqual(
    entries.map(({ description, created_at }) => [description, created_at]),
    [
      ['first', '2026-01-31T08:00:00.000Z'],
      ['second', '2026-01-31T08:00:00.000Z'],
      ['𝄞 {a,"b"} \\N', '2026-01-31T08:00:00.000Z'],
    ],
  )
  const ids = entries.map(({ id }) => id)
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  )
})

test('GET /api/stats/overview shows entries newest first, and of equal moments the later id', async () => {
  clock.tick(10)
  const later = await insertActivity(pool, ['a', 'b'], clock.now())
  clock.tick(-5)
  const between = await insertActivity(pool, ['between'], clock.now())
  const shown = await recent()
  assert.deepEqual(shown.slice(0, 3), [...later.toReversed(), ...between])
})

test('GET /api/stats/overview shows the twenty newest entries', async () => {
  clock.tick(1000)
  const texts = Array.from({ length: 25 }, (_, at) => `entry ${at}`)
  const entries = await insertActivity(pool, texts, clock.now())
  assert.deepEqual(await recent(), entries.toReversed().slice(0, 20))
})

test('newestActivity returns as many entries as requested', async () => {
  assert.equal((await newestActivity(pool, 3)).length, 3)
})

test('an entry without a description is refused by the database', async () => {
  await assert.rejects(insertActivity(pool, [''], clock.now()), {
    constraint_name: 'activity_entry_description_present',
  })
})
