import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { makersFor } from '../../support/forge/make.ts'

const started = await startApp({ SESSION_MAX_AGE: '2h' })
const { app, call, clock, log, pool } = started
const make = makersFor(started)
const { schedule } = app.tools

/** How far the clock moves between two looks at the schedule, in milliseconds. */
const step = 600_000

/** Rows of every table that has any. */
async function rowsOfTables(): Promise<Record<string, number>> {
  const tables = await pool<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name
    from pg_tables
    where schemaname in ('site', 'forge')
    order by name`
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const [row] = await pool.unsafe<{ count: number }[]>(`select count(*) from ${name}`)
    if (row && row.count > 0) counts[name] = row.count
  }
  return counts
}

async function runDue(): Promise<void> {
  await schedule.check()
  await schedule.idle()
}

/** In each hour a visitor comes and stays away, and a post is published under a key and removed. */
async function passHours(hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour++) {
    await call('POST /api/stats/session/start', { body: { username: 'ada' } })
    const headers = { 'idempotency-key': `the post of ${clock.now().toISOString()}` }
    const body = { title: 'News', content: 'of this hour' }
    const { body: post } = await call('POST /api/news', { body, headers })
    await call('DELETE /api/news/{id}', { params: { id: post.id } })
    for (let minute = 0; minute < 60; minute += 10) {
      clock.tick(step)
      await runDue()
    }
  }
}

test('a day of all scheduled tasks runs each on its time, fails none and piles up nothing', async () => {
  const admin = await make.admin({ name: 'root' })
  await call('POST /api/v1/user/repos', { body: { name: 'tool', auto_init: true }, as: admin })
  await schedule.start({ alone: true })
  await runDue()
  // What is kept for a day is there after a day.
  await passHours(25)
  const { 'site.session': earlier = 0, ...before } = await rowsOfTables()
  await passHours(24)
  const { 'site.session': sessions = 0, ...rows } = await rowsOfTables()
  assert.deepEqual(rows, before)
  assert.deepEqual([earlier, sessions], [25, 49], 'sessions are history, and stay')
  const [open] = await pool<{ count: number }[]>`
    select count(*) from site.session where ended_at is null`
  assert.equal(open?.count, 2)
  assert.deepEqual(
    log.lines().filter(({ level }) => level === 'error' || level === 'warn'),
    [],
  )
  const { body: tasks } = await call('GET /api/v1/admin/cron', { as: admin, query: { limit: 50 } })
  const runs = (name: string) => tasks.find((task: { name: string }) => task.name === name)?.exec_times
  // Two of them have run at the start as well.
  assert.deepEqual(
    ['sample_presence', 'forget_idempotency_keys', 'repo_health_check', 'delete_missing_repos'].map(runs),
    [295, 50, 2, 0],
  )
})
