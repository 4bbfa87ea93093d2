import type { Pool, Transaction } from '../../../src/db/sql.ts'
import { onDatabase, type Place } from './fill.ts'
import { insertAdministrator } from './users.ts'

/** Fills a database with so many jobs, four to a run; gives the token of an administrator. */
export async function fillJobs(place: Place, jobs: number): Promise<string> {
  return onDatabase(place, async (pool) => {
    await pool.begin(async (tx) => {
      await tx`set local statement_timeout = 0`
      await insertRepositories(tx)
      // What they tell of is nothing that anybody is to hear of.
      await tx`alter table forge.action_run disable trigger action_run_told_insert`
      await tx`alter table forge.action_job disable trigger action_job_told_insert`
      await insertRuns(tx, Math.ceil(jobs / 4))
      await tx`alter table forge.action_run enable trigger action_run_told_insert`
      await tx`alter table forge.action_job enable trigger action_job_told_insert`
    })
    const token = await insertAdministrator(pool)
    await settle(pool)
    return token
  })
}

async function insertRepositories(tx: Transaction): Promise<void> {
  await tx`
    insert into forge.account (kind, name, created_at, updated_at)
    select 'organization', 'org' || n, timestamptz '2026-01-01', timestamptz '2026-01-01'
    from generate_series(1, 20) as n`
  await tx`
    insert into forge.repository
      (owner_id, name, folder_owner, folder_name, state, is_private, default_branch, object_format, created_at,
       updated_at)
    select id, 'repository' || n, key, 'repository' || n, 'ready', n % 2 = 0, 'main', 'sha1', created_at, created_at
    from forge.account, generate_series(1, 20) as n`
}

/** Runs of all repositories take turns, as they do where all are busy. */
async function insertRuns(tx: Transaction, runs: number): Promise<void> {
  await tx`
    insert into forge.action_run
      (repository_id, number, workflow_file, title, event, payload, ref, commit_sha, status, created_at, updated_at)
    select 1 + n % 400, 1 + n / 400, 'ci.yml', 'What was done', case when n % 10 = 0 then 'schedule' else 'push' end,
      '{}', 'refs/heads/' || case when n % 7 = 0 then 'topic' || n % 1000 else 'main' end, md5(n::text),
      case when n % 50 = 1 then 'queued' when n % 5 = 0 then 'failure' else 'success' end,
      timestamptz '2026-01-01' + n * interval '1 second', timestamptz '2026-01-01' + n * interval '1 second'
    from generate_series(0, ${runs}::bigint - 1) as n`
  await tx`
    insert into forge.action_attempt (run_id, number, status, created_at, updated_at)
    select id, 1, status, created_at, updated_at
    from forge.action_run`
  await tx`
    insert into forge.action_job
      (run_id, attempt, number, repository_id, name, key, runs_on, payload, status, created_at, updated_at)
    select id, 1, n, repository_id, 'job ' || n, 'job', '{ubuntu-latest}', decode(repeat('6a', 600), 'hex'), status,
      created_at, updated_at
    from forge.action_run, generate_series(1, 4) as n`
}

/** A PostgreSQL server does this by itself after a while, and so does the forge. */
async function settle(pool: Pool): Promise<void> {
  await pool`select forge.fold_action_tally()`
  for (const table of ['repository', 'action_run', 'action_attempt', 'action_job', 'action_tally'])
    await pool.unsafe(`vacuum analyze forge.${table}`)
}
