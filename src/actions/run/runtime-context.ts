import type { Sql } from '../../db/sql.ts'
import { variablesForJobs } from '../secrets/variable-store.ts'
import type { Inputs } from '../workflow/inputs.ts'
import { contextsOf, type PlanContexts } from '../workflow/plan.ts'
import { isObject, type Json, type Names } from '../workflow/values.ts'
import { contextsIn } from './call-scope.ts'
import { serverContext } from './run-context.ts'
import { type AttemptFacts, attemptFacts, outputsOfAttempt } from './runtime-facts-store.ts'

/** The contexts of expressions of an active run, and the outputs of its jobs for the context `needs`. */
export interface RuntimeFacts {
  contexts: PlanContexts
  owner: number
  outputs: Map<string, { readonly [name: string]: string }>
}

/** What expressions of a workflow know: that of the run, or one that a job calls. */
export const scopedNames = ({ contexts }: RuntimeFacts, caller: Parameters<typeof contextsIn>[1]): Names =>
  contextsOf(contextsIn(contexts, caller))

/** Undefined when the run or its repository was deleted. */
export async function runtimeFacts(
  sql: Sql,
  { run, attempt }: { run: number; attempt: number },
): Promise<RuntimeFacts | undefined> {
  const facts = await attemptFacts(sql, { run, attempt })
  if (!facts) return undefined
  const vars = await variablesForJobs(sql, { owner: facts.owner_id, repository: facts.repository_id })
  const github = serverContext(facts, rootUrlIn(facts.event_payload))
  const contexts = { github, vars, inputs: facts.inputs ?? inputsIn(facts) }
  return { contexts, owner: facts.owner_id, outputs: await outputsOfAttempt(sql, run, attempt) }
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

/** The inputs as texts of the event, without the types that the workflow declares. */
function inputsIn({ event, event_payload: payload }: AttemptFacts): Inputs {
  const inputs = event === 'workflow_dispatch' && isObject(payload) ? payload.inputs : undefined
  if (!isObject(inputs)) return {}
  return Object.fromEntries(
    Object.entries(inputs).filter((each): each is [string, string] => typeof each[1] === 'string'),
  )
}
