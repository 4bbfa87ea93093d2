import { allRows, firstRow } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'
import type { RunFacts } from '../run/run-context.ts'
import type { JobOutcome } from '../run/status.ts'
import type { Call } from '../workflow/call.ts'

/** The facts about a task, its job and its run for the content of the task. */
export interface TaskFacts extends RunFacts {
  job_id: number
  repository_id: number
  owner_id: number
  is_fork_pr: boolean
  key: string
  needs: string[]
  payload: Uint8Array | null
}

/**
 * Undefined when the task has ended, it or its repository was deleted, or its runner no longer serves the repository's
 * owner.
 */
export const taskFacts = (sql: Sql, task: number) =>
  firstRow(sql<TaskFacts[]>`
    select run.id as run_id, job.id as job_id, run.number as run_number, job.attempt, run.repository_id, owner.id as owner_id,
      owner.name as owner_name, repository.name as repository_name, actor.name as actor_name,
      attempt_actor.name as attempt_actor_name, run.by_bot, attempt.by_bot as attempt_by_bot, run.event,
      run.payload as event_payload, run.ref, run.commit_sha, run.workflow_file, run.is_fork_pr, job.key, job.needs,
      job.payload
    from forge.action_task as task
    join forge.action_job as job on job.id = task.job_id
    join forge.action_run as run on run.id = job.run_id
    join forge.action_attempt as attempt on attempt.run_id = run.id and attempt.number = job.attempt
    join forge.repository on repository.id = run.repository_id
    join forge.account as owner on owner.id = repository.owner_id
    left join forge.account as actor on actor.id = run.actor_id
    left join forge.account as attempt_actor on attempt_actor.id = attempt.actor_id
    join forge.action_runner as runner on runner.id = task.runner_id
    where task.id = ${task} and task.status = 'in_progress'
      and (runner.owner_id is null or runner.owner_id = repository.owner_id)
      and (runner.repository_id is null or runner.repository_id = repository.id)`)

/** A job that another job needs. */
interface NeededJob extends JobOutcome {
  outputs: Record<string, string>
}

/**
 * The jobs of an attempt with these keys, with their outputs; a job copied from an earlier attempt has its source's
 * outputs.
 */
export const neededJobs = (
  sql: Sql,
  { run_id, attempt, needs }: Pick<TaskFacts, 'run_id' | 'attempt' | 'needs'>,
) =>
  allRows(sql<NeededJob[]>`
    select job.key, job.status, job.continue_on_error, job.fails_fast,
      coalesce(job.call_outputs, (
        select json_object_agg(output.key, output.value)
        from forge.action_task as task
        join forge.action_output as output on output.task_id = task.id
        where task.job_id = coalesce(job.source_job_id, job.id) and output.value is not null
      ), '{}') as outputs
    from forge.action_job as job
    where job.run_id = ${run_id} and job.attempt = ${attempt} and job.key = any(${needs}::text[])
    order by job.number`)

/** A job of an attempt that calls a workflow. */
interface CallingJob {
  number: number
  key: string
  call: Call
}

/** The jobs of an attempt that have called workflows. */
export const callingJobs = (sql: Sql, { run_id, attempt }: Pick<TaskFacts, 'run_id' | 'attempt'>) =>
  allRows(sql<CallingJob[]>`
    select number, key, call
    from forge.action_job
    where run_id = ${run_id} and attempt = ${attempt} and call is not null
    order by number`)
