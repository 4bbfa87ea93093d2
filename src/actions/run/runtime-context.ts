import type { Sql } from '../../db/sql.ts'
import { mergeOutput } from '../runner/output-store.ts'
import { fallbackActor } from '../runner/task-context.ts'
import { variablesReaching } from '../secrets/variable-store.ts'
import type { Inputs } from '../workflow/inputs.ts'
import { contextsOf } from '../workflow/plan.ts'
import { isObject, type Json, type Names } from '../workflow/values.ts'
import type { Outputs } from './dependents.ts'
import { githubContext, type RunFacts } from './run-context.ts'

/** What expressions may name while a run is active. */
export interface RuntimeContexts {
  contexts: Names
  outputs: Outputs
}

type Row = Omit<RunFacts, 'actor' | 'triggering_actor'> & {
  actor: string | null
  by_bot: boolean
  attempt_actor: string | null
  attempt_by_bot: boolean
  /** Null of a run that an earlier release has started. */
  inputs: Inputs | null
  repository_id: number
  owner_id: number
  owner_name: string
  repository_name: string
}

/** Undefined when the run or its repository was deleted. */
export async function runtimeContexts(
  sql: Sql,
  { run, attempt }: { run: number; attempt: number },
): Promise<RuntimeContexts | undefined> {
  const [row] = await sql<Row[]>`
    select run.id, run.number, ${attempt}::int as attempt, run.workflow_file, run.workflow_name, run.event, run.payload,
      run.inputs, run.ref, run.commit_sha, run.by_bot, actor.name as actor, attempt.by_bot as attempt_by_bot,
      attempt_actor.name as attempt_actor, run.repository_id, owner.id as owner_id, owner.name as owner_name,
      repository.name as repository_name
    from forge.action_run as run
    join forge.action_attempt as attempt on attempt.run_id = run.id and attempt.number = ${attempt}
    join forge.repository on repository.id = run.repository_id
    join forge.account as owner on owner.id = repository.owner_id
    left join forge.account as actor on actor.id = run.actor_id
    left join forge.account as attempt_actor on attempt_actor.id = attempt.actor_id
    where run.id = ${run}`
  if (!row) return undefined
  const vars = await variablesReaching(sql, { owner: row.owner_id, repository: row.repository_id })
  const facts = {
    ...row,
    actor: row.actor ?? fallbackActor(row.by_bot),
    triggering_actor: row.attempt_actor ?? fallbackActor(row.attempt_by_bot),
  }
  const repo = { owner_name: row.owner_name, name: row.repository_name }
  const github = githubContext(facts, repo, rootUrlIn(row.payload))
  const contexts = contextsOf({ github, vars, inputs: row.inputs ?? inputsIn(row) })
  return { contexts, outputs: await outputsOfAttempt(sql, run, attempt) }
}

/** The public URL of the site, as recorded in the event. */
function rootUrlIn(payload: Json): string {
  const repository = isObject(payload) ? payload.repository : undefined
  if (!isObject(repository)) return ''
  const { html_url: url, full_name: name } = repository
  return typeof url === 'string' && typeof name === 'string' && url.endsWith(name)
    ? url.slice(0, -name.length)
    : ''
}

/** The texts of the event, without the types that the workflow declares. */
function inputsIn({ event, payload }: Pick<Row, 'event' | 'payload'>): Inputs {
  const inputs = event === 'workflow_dispatch' && isObject(payload) ? payload.inputs : undefined
  if (!isObject(inputs)) return {}
  return Object.fromEntries(
    Object.entries(inputs).filter((each): each is [string, string] => typeof each[1] === 'string'),
  )
}

/** Outputs of the jobs of an attempt; a copied job has the outputs of its source. */
async function outputsOfAttempt(sql: Sql, run: number, attempt: number): Promise<Outputs> {
  const rows = await sql<{ key: string; name: string; value: string }[]>`
    select job.key, output.key as name, output.value
    from forge.action_job as job
    join forge.action_task as task on task.job_id = coalesce(job.source_job_id, job.id)
    join forge.action_output as output on output.task_id = task.id
    where job.run_id = ${run} and job.attempt = ${attempt} and output.value is not null
    order by job.number`
  const outputs = new Map<string, Map<string, string>>()
  for (const { key, name, value } of rows) {
    const merged = outputs.get(key) ?? new Map<string, string>()
    mergeOutput(merged, name, value)
    outputs.set(key, merged)
  }
  return new Map([...outputs].map(([key, merged]) => [key, Object.fromEntries(merged)]))
}
