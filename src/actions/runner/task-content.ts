import type { JsonObject } from '@bufbuild/protobuf'
import type { Sql } from '../../db/sql.ts'
import { bareKey, callerNumber, callerOf } from '../run/call-scope.ts'
import { aggregate } from '../run/status.ts'
import { secretsForJobs } from '../secrets/secret-store.ts'
import { variablesForJobs } from '../secrets/variable-store.ts'
import { mergeOutput } from './output-store.ts'
import { resultOf } from './report.ts'
import { runtimeToken } from './runtime-token.ts'
import { taskContext } from './task-context.ts'
import { callingJobs, neededJobs, type TaskFacts, taskFacts } from './task-facts-store.ts'
import type { ActionsTools } from './tools.ts'

/** The content of a task in the form of the message to the runner. */
export interface TaskContent {
  workflowPayload: Uint8Array
  context: JsonObject
  secrets: Record<string, string>
  needs: Record<string, { outputs: Record<string, string>; result: number }>
  vars: Record<string, string>
  /** What lines of the log must not show: the secrets, and the token for artifacts; not the token of the task. */
  masked: string[]
}

/**
 * The content of a task. `token`: the task's token in plaintext; `host`: base URL of links, with a trailing slash.
 * Undefined: the job was deleted meanwhile.
 */
export async function taskContent(
  sql: Sql,
  tools: ActionsTools,
  { task, token, host, now }: { task: number; token: string; host: string; now: Date },
): Promise<TaskContent | undefined> {
  const facts = await taskFacts(sql, task)
  if (!facts?.payload) return undefined
  const owner = { owner: facts.owner_id, repository: facts.repository_id }
  const [all, vars, needs, calls] = await Promise.all([
    getsSecrets(facts) ? secretsForJobs(sql, owner, tools) : noSecrets,
    variablesForJobs(sql, owner),
    needsOf(sql, facts),
    callerNumber(facts.key) === 0 ? [] : callingJobs(sql, facts),
  ])
  const secrets = passedSecrets(all, facts.key, calls)
  const call = callerOf(facts.key, calls)?.call
  const identity = { task, run: facts.run_id, job: facts.job_id }
  const artifactToken = runtimeToken(identity, tools.secrets, { now, longestJob: tools.longestJob })
  return {
    workflowPayload: facts.payload,
    context: taskContext(facts, {
      token,
      runtimeToken: artifactToken,
      host,
      actionsUrl: tools.actionsUrl,
      call,
    }),
    secrets: { ...secrets, GITHUB_TOKEN: token, GITEA_TOKEN: token },
    needs,
    vars: { ...vars },
    masked: [...Object.values(secrets), artifactToken],
  }
}

/** A workflow of a fork gets no secrets, since strangers may write it. */
const getsSecrets = ({ is_fork_pr }: TaskFacts) => !is_fork_pr
const noSecrets: Readonly<Record<string, string>> = {}

/** The secrets of a job: in a called workflow, those that the calling jobs pass on, from the outermost to the innermost. */
function passedSecrets(
  all: Readonly<Record<string, string>>,
  key: string,
  calls: Awaited<ReturnType<typeof callingJobs>>,
): Readonly<Record<string, string>> {
  const caller = callerOf(key, calls)
  if (!caller) return callerNumber(key) === 0 ? all : noSecrets
  const outer = passedSecrets(all, caller.key, calls)
  const { secrets } = caller.call
  if (secrets === 'inherit') return outer
  const entries = Object.entries(secrets).flatMap(([name, source]) => {
    const value = Object.hasOwn(outer, source) ? outer[source] : undefined
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(entries)
}

/** For each needed key: the merged outputs of its jobs and their combined result. */
async function needsOf(sql: Sql, facts: TaskFacts): Promise<TaskContent['needs']> {
  if (facts.needs.length === 0) return {}
  const jobs = await neededJobs(sql, facts)
  return Object.fromEntries(
    facts.needs.map((key) => {
      const parts = jobs.filter((job) => job.key === key)
      const outputs = new Map<string, string>()
      for (const { outputs: produced } of parts) {
        for (const [name, value] of Object.entries(produced)) mergeOutput(outputs, name, value)
      }
      return [bareKey(key), { outputs: Object.fromEntries(outputs), result: resultOf(aggregate(parts)) }]
    }),
  )
}
