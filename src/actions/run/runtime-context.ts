import type { Sql } from '../../db/sql.ts'
import { fallbackActor } from '../runner/task-context.ts'
import { variablesReaching } from '../secrets/variable-store.ts'
import type { Inputs } from '../workflow/inputs.ts'
import { contextsOf } from '../workflow/plan.ts'
import { isObject, type Json, type Names } from '../workflow/values.ts'
import type { Outputs } from './dependents.ts'
import { githubContext } from './run-context.ts'
import { type AttemptFacts, attemptFacts, outputsOfAttempt } from './runtime-facts-store.ts'

/** What expressions may name while a run is active. */
export interface RuntimeContexts {
  contexts: Names
  outputs: Outputs
}

/** Undefined when the run or its repository was deleted. */
export async function runtimeContexts(
  sql: Sql,
  { run, attempt }: { run: number; attempt: number },
): Promise<RuntimeContexts | undefined> {
  const row = await attemptFacts(sql, { run, attempt })
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
function inputsIn({ event, payload }: Pick<AttemptFacts, 'event' | 'payload'>): Inputs {
  const inputs = event === 'workflow_dispatch' && isObject(payload) ? payload.inputs : undefined
  if (!isObject(inputs)) return {}
  return Object.fromEntries(
    Object.entries(inputs).filter((each): each is [string, string] => typeof each[1] === 'string'),
  )
}
