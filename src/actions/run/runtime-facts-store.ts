import { allRows, firstRow } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'
import { mergeOutput } from '../runner/output-store.ts'
import type { Inputs } from '../workflow/inputs.ts'
import type { RunFacts } from './run-context.ts'

/** The facts about an attempt, its run and its repository for the contexts of expressions. */
export interface AttemptFacts extends RunFacts {
  workflow_name: string
  /** Null of a run that an earlier release has started. */
  inputs: Inputs | null
  repository_id: number
  owner_id: number
}

/** Undefined when the run or its repository was deleted. */
export const attemptFacts = (sql: Sql, { run, attempt }: { run: number; attempt: number }) =>
  firstRow(sql<AttemptFacts[]>`
    select run.id as run_id, run.number as run_number, ${attempt}::int as attempt, run.workflow_file, run.workflow_name,
      run.event, run.payload as event_payload, run.inputs, run.ref, run.commit_sha, run.by_bot, actor.name as actor_name,
      attempt.by_bot as attempt_by_bot, attempt_actor.name as attempt_actor_name, run.repository_id, owner.id as owner_id,
      owner.name as owner_name, repository.name as repository_name
    from forge.action_run as run
    join forge.action_attempt as attempt on attempt.run_id = run.id and attempt.number = ${attempt}
    join forge.repository on repository.id = run.repository_id
    join forge.account as owner on owner.id = repository.owner_id
    left join forge.account as actor on actor.id = run.actor_id
    left join forge.account as attempt_actor on attempt_actor.id = attempt.actor_id
    where run.id = ${run}`)

/** Outputs of the jobs of an attempt by key; a copied job has the outputs of its source. */
export async function outputsOfAttempt(
  sql: Sql,
  run: number,
  attempt: number,
): Promise<Map<string, { readonly [name: string]: string }>> {
  const rows = await allRows(sql<{ key: string; name: string; value: string }[]>`
    select job.key, output.key as name, output.value, job.number
    from forge.action_job as job
    join forge.action_task as task on task.job_id = coalesce(job.source_job_id, job.id)
    join forge.action_output as output on output.task_id = task.id
    where job.run_id = ${run} and job.attempt = ${attempt} and output.value is not null
    union all
    select job.key, output.key, output.value, job.number
    from forge.action_job as job
    cross join lateral json_each_text(job.call_outputs) as output
    where job.run_id = ${run} and job.attempt = ${attempt} and job.call_outputs is not null
    order by number`)
  const outputs = new Map<string, Map<string, string>>()
  for (const { key, name, value } of rows) {
    const merged = outputs.get(key) ?? new Map<string, string>()
    mergeOutput(merged, name, value)
    outputs.set(key, merged)
  }
  return new Map([...outputs].map(([key, merged]) => [key, Object.fromEntries(merged)]))
}
