import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { STATUSES } from '../../../src/actions/run/status.ts'
import { openFormerDatabase } from '../../support/database.ts'

/** The schema of the program before 0034_statuses_of_the_api. */
const database = await openFormerDatabase('0034')
const { pool } = database
after(() => database.close())

const day = '2026-01-01'
const renamed: Readonly<Record<string, string>> = {
  pending: 'requested',
  waiting: 'queued',
  running: 'in_progress',
}
const oldStatuses = [
  'pending',
  'blocked',
  'waiting',
  'running',
  'cancelling',
  'success',
  'failure',
  'cancelled',
  'skipped',
]

/** A run of one job in this status; tasks and steps only exist for jobs that a runner has taken. */
async function insertRun(repository: number, status: string, number: number): Promise<void> {
  const isOpen = status === 'running' || status === 'cancelling'
  await pool`
    insert into forge.action_run
      (repository_id, number, workflow_file, title, event, payload, ref, commit_sha, status, created_at, updated_at)
    values
      (${repository}, ${number}, 'ci.yml', ${status}, 'push', '{}', 'refs/heads/main', 'c', ${status}, ${day}, ${day})`
  await pool`
    insert into forge.action_attempt (run_id, number, status, created_at, updated_at)
    select id, 1, status, created_at, updated_at from forge.action_run where title = ${status}`
  await pool`
    insert into forge.action_job (run_id, attempt, number, repository_id, name, key, status, created_at, updated_at)
    select id, 1, 1, repository_id, title, 'a', status, created_at, updated_at
    from forge.action_run where title = ${status}`
  if (['pending', 'blocked', 'waiting'].includes(status)) return
  await pool`
    insert into forge.action_task
      (job_id, runner_id, runner_name, token_hash, status, started_at, stopped_at, created_at, updated_at)
    select id, 1, 'r1', sha256(name::bytea), status, created_at, ${isOpen ? null : day}, created_at, updated_at
    from forge.action_job where name = ${status}`
  for (const [at, step] of [status, ...(isOpen ? ['waiting'] : [])].entries())
    await pool`
      insert into forge.action_step (task_id, number, name, status)
      select action_task.id, ${at}, ${step}, ${step}
      from forge.action_task join forge.action_job on action_job.id = job_id
      where action_job.name = ${status}`
}

test('runs, jobs and queued events from before the upgrade have the names of the API after it', async () => {
  const [account] = await pool<[{ id: number }]>`
    insert into forge.account (kind, name, created_at, updated_at) values ('person', 'Ada', ${day}, ${day}) returning id`
  const [repository] = await pool<[{ id: number }]>`
    insert into forge.repository (owner_id, name, folder_owner, folder_name, state, is_private, default_branch,
      object_format, created_at, updated_at)
    values (${account.id}, 'r', 'ada', 'r', 'ready', false, 'main', 'sha1', ${day}, ${day})
    returning id`
  for (const [at, status] of oldStatuses.entries()) await insertRun(repository.id, status, at + 1)
  await pool`select forge.fold_action_tally()`
  await pool`update forge.action_job set status = 'running' where name = 'waiting'`
  const before = await pool`select id, kind from forge.event order by id`
  await database.upgrade('0035')

  const stored = await pool<{ old: string; status: string }[]>`
    select title as old, status::text from forge.action_run
    union all select title, attempt.status::text
      from forge.action_attempt as attempt join forge.action_run on action_run.id = run_id
    union all select name, status::text from forge.action_job where name <> 'waiting'
    union all select job.name, task.status::text
      from forge.action_task as task join forge.action_job as job on job.id = task.job_id
    union all select name, status::text from forge.action_step`
  assert.equal(stored.length, 4 * oldStatuses.length - 4 + 8)
  for (const { old, status } of stored) assert.equal(status, renamed[old] ?? old)

  const events = await pool<{ id: number; kind: string; payload: unknown }[]>`
    select id, kind, payload from forge.event order by id`
  assert.deepEqual(
    events.map(({ id, kind }) => ({ id, kind })),
    [...before],
  )
  const named = [...JSON.stringify(events).matchAll(/"status":"(\w+)"/g)].map(([, status]) => status)
  assert.deepEqual([...new Set(named)].toSorted(), [...STATUSES].toSorted())

  const [totals] = await pool`
    select (
      select json_agg(total) from (
        select kind, status, sum(amount)::int as amount
        from (
          select kind, status, amount from forge.action_tally where repository_id <> 0
          union all select kind, status, difference from forge.action_tally_change
        ) as part
        group by kind, status having sum(amount) <> 0 order by kind, status
      ) as total
    ) as kept, (
      select json_agg(total) from (
        select kind, status, count(*)::int as amount
        from (select 'job' as kind, status from forge.action_job union all select 'run', status from forge.action_run) as row
        group by kind, status order by kind, status
      ) as total
    ) as counted`
  assert.deepEqual(totals?.kept, totals?.counted)
})

test('after the upgrade a change of a job is queued as an event again, and a queued job wakes runners', async () => {
  const version = async () =>
    Number((await pool`select coalesce(sum(version), 0) as sum from forge.action_tasks_version`)[0]?.sum)
  const before = await version()
  const [last] = await pool<[{ id: number }]>`select max(id) as id from forge.event`
  await pool`update forge.action_job set status = 'queued' where name = 'blocked'`
  assert.equal(await version(), before + 1)
  const [event] = await pool`select kind, payload from forge.event where id > ${last.id}`
  assert.deepEqual(
    [event?.kind, event?.payload.jobs.map(({ status }: { status: string }) => status)],
    ['action_jobs', ['queued']],
  )
  await assert.rejects(pool`update forge.action_job set status = 'waiting'`, { code: '23514' })
})
