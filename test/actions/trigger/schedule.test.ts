import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readScheduleLine } from '../../../src/actions/trigger/schedule-lines.ts'
import { queueDueSchedules } from '../../../src/actions/trigger/schedule-tick.ts'
import { createTriggerWorker } from '../../../src/actions/trigger/worker.ts'
import { createLog } from '../../../src/log.ts'
import { settled, startForge, startRepository } from '../../support/forge/workflows.ts'
import { until } from '../../support/wait.ts'

const forge = await startForge()
const { pool, clock, make } = forge

const saturday = new Date('2026-01-31T08:00:00Z')
const lines: readonly (readonly [line: string, next: string | undefined])[] = [
  ['*/5 * * * *', '2026-01-31T08:05:00.000Z'],
  ['0 4 * * *', '2026-02-01T04:00:00.000Z'],
  ['30 7 * * MON', '2026-02-02T07:30:00.000Z'],
  ['@daily', '2026-02-01T00:00:00.000Z'],
  ['@every 90m', '2026-01-31T09:30:00.000Z'],
  ['TZ=Europe/Berlin 0 4 * * *', '2026-02-01T03:00:00.000Z'],
  ['CRON_TZ=America/New_York 0 4 * * *', '2026-01-31T09:00:00.000Z'],
  ['@every 1s', undefined],
  ['@often', undefined],
  ['* * * *', undefined],
  ['* * * * * *', undefined],
  ['0 0 30 2 *', undefined],
  ['TZ=Nowhere/Land 0 4 * * *', undefined],
  ['TZ=Europe/Berlin', undefined],
  ['', undefined],
  [`${'1,'.repeat(5000)}1 * * * *`, '2026-01-31T08:01:00.000Z'],
]

for (const [line, next] of lines) {
  test(`the line ${JSON.stringify(line.slice(0, 40))} is ${next ? `next due ${next}` : 'none'}`, () => {
    assert.equal(readScheduleLine(line)?.next(saturday).toISOString(), next)
  })
}

const source = (...cron: string[]) => `
on: {schedule: [${cron.map((line) => `{cron: '${line}'}`).join(', ')}], push: {branches: [none]}}
jobs: {a: {runs-on: x, steps: [{run: echo}]}}`

const scheduled = async (id: number) =>
  (
    await pool<{ cron: string }[]>`
    select cron from forge.action_schedule where repository_id = ${id} order by id`
  ).map(({ cron }) => cron)

test('schedules are those of the newest commit of the default branch', async () => {
  const repo = await startRepository(forge, 'rows')
  const file = '.gitea/workflows/a.yml'
  await repo.push({ [file]: source('*/5 * * * *', 'nonsense', '@daily') })
  await settled(forge)
  assert.deepEqual(await scheduled(repo.id), ['*/5 * * * *', '@daily'])
  await repo.push({ [file]: source('0 1 * * *') }, { branch: 'other' })
  await settled(forge)
  assert.equal((await scheduled(repo.id)).length, 2, 'another branch says nothing')
  await repo.push({ [file]: source('0 2 * * *') }, { message: 'Later [skip ci]' })
  await settled(forge)
  assert.deepEqual(await scheduled(repo.id), ['0 2 * * *'])
  await repo.push({ [file]: null })
  await settled(forge)
  assert.deepEqual(await scheduled(repo.id), [])
})

test('a due schedule starts once across processes, as the bot, from the commit at that time', async () => {
  const repo = await startRepository(forge, 'due')
  const commit = await repo.push({
    '.gitea/workflows/a.yml': source('*/5 * * * *'),
    '.gitea/workflows/b.yml': source('0 0 * * *'),
  })
  await settled(forge)
  const begin = make.begin
  assert.equal(await queueDueSchedules(pool, begin, clock.now()), false)
  clock.tick(12 * 60_000)
  await Promise.all([1, 2, 3].map(() => queueDueSchedules(pool, begin, clock.now())))
  forge.app.workflows.wake()
  await settled(forge)
  const runs = await pool`
    select run.number, workflow_file, event, ref, commit_sha, by_bot, payload ->> 'schedule' as cron,
      payload -> 'repository' ->> 'full_name' as repository, payload -> 'sender' ->> 'login' as sender
    from forge.action_run as run
    where repository_id = ${repo.id}`
  assert.deepEqual(
    runs.map((row) => ({ ...row })),
    [
      {
        number: 1,
        workflow_file: 'a.yml',
        event: 'schedule',
        ref: 'refs/heads/main',
        commit_sha: commit,
        by_bot: true,
        cron: '*/5 * * * *',
        repository: 'ada/due',
        sender: 'gitea-actions',
      },
    ],
  )
  const said = await pool`select id from forge.commit_status where repository_id = ${repo.id}`
  assert.equal(said.length, 0, 'commits are not told of schedules')
  const [next] = await pool`
    select next_at, previous_at from forge.action_schedule where repository_id = ${repo.id} and workflow_file = 'a.yml'`
  assert.deepEqual(
    { ...next },
    { next_at: '2026-01-31T08:15:00.000Z', previous_at: '2026-01-31T08:12:00.000Z' },
  )
})

test('an unchanged line keeps its next time across pushes, and a changed time makes a new line', async () => {
  const repo = await startRepository(forge, 'kept')
  const file = '.gitea/workflows/a.yml'
  const times = async () => {
    await settled(forge)
    const rows = await pool<{ line: string }[]>`
      select cron || ' ' || to_char(next_at at time zone 'UTC', 'HH24:MI') as line
      from forge.action_schedule where repository_id = ${repo.id} order by id`
    return rows.map(({ line }) => line)
  }
  const minutes = (past: number) =>
    new Date(clock.now().getTime() + past * 60_000).toISOString().slice(11, 16)
  const every = `@every 90m ${minutes(90)}`
  await repo.push({ [file]: source('@every 90m', '@daily') })
  assert.deepEqual(await times(), [every, '@daily 00:00'])
  clock.tick(60 * 60_000)
  const later = `@every 45m ${minutes(45)}`
  await repo.push({ [file]: source('@every 45m', '@every 90m') })
  assert.deepEqual(await times(), [later, every])
})

test('a repository that is archived or deleted starts nothing', async () => {
  const repo = await startRepository(forge, 'archived')
  await repo.push({ '.gitea/workflows/a.yml': source('* * * * *') })
  await settled(forge)
  await pool`update forge.repository set is_archived = true where id = ${repo.id}`
  clock.tick(3_600_000)
  await queueDueSchedules(pool, make.begin, clock.now())
  forge.app.workflows.wake()
  await settled(forge)
  const runs = await pool`select id from forge.action_run where repository_id = ${repo.id}`
  assert.equal(runs.length, 0)
})

test('all schedules that are due after an outage start with the first poll', async () => {
  const repo = await startRepository(forge, 'outage')
  await pool`
    insert into forge.action_schedule (repository_id, workflow_file, ref, commit_sha, cron, next_at, created_at)
    select ${repo.id}, 'a.yml', 'refs/heads/main', repeat('a', 40), '@daily', ${clock.now()}, ${clock.now()}
    from generate_series(1, 250)`
  // It takes no trigger, so that these stay to be counted, and it polls once.
  const none = { sql: pool, begin: make.begin, clock: clock.now, log: createLog('error', forge.log) }
  const { planner, gitService: source, root } = forge.app.tools
  const describe = async () => undefined
  const needsApproval = async () => false
  const options = { atOnce: 0, poll: 2 ** 31 - 1 }
  const worker = createTriggerWorker(
    { ...none, planner, source, root, describe, needsApproval },
    options,
  ).start()
  const left = () =>
    pool`select from forge.action_schedule where repository_id = ${repo.id} and next_at <= ${clock.now()}`
  await until('nothing is due', async () => (await left()).length === 0)
  await worker.stop()
  const started = await pool`select from forge.action_schedule
    where repository_id = ${repo.id} and previous_at = ${clock.now()}`
  assert.equal(started.length, 250)
})
