import type { JsonObject } from '@bufbuild/protobuf'
import type { Sql } from '../../db/sql.ts'
import { aggregate } from '../run/status.ts'
import { secretsForJobs } from '../secrets/secret-store.ts'
import { variablesForJobs } from '../secrets/variable-store.ts'
import { mergeOutput } from './output-store.ts'
import { resultOf } from './report.ts'
import { runtimeToken } from './runtime-token.ts'
import { taskContext } from './task-context.ts'
import { neededJobs, type TaskFacts, taskFacts } from './task-facts-store.ts'
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
  const [secrets, vars, needs] = await Promise.all([
    getsSecrets(facts) ? secretsForJobs(sql, owner, tools) : noSecrets,
    variablesForJobs(sql, owner),
    needsOf(sql, facts),
  ])
  const identity = { task, run: facts.run_id, job: facts.job_id }
  const artifactToken = runtimeToken(identity, tools.secrets, { now, longestJob: tools.longestJob })
  return {
    workflowPayload: facts.payload,
    context: taskContext(facts, { token, runtimeToken: artifactToken, host, actionsUrl: tools.actionsUrl }),
    secrets: { ...secrets, GITHUB_TOKEN: token, GITEA_TOKEN: token },
    needs,
    vars: { ...vars },
    masked: [...Object.values(secrets), artifactToken],
  }
}

/** A workflow of a fork gets no secrets, since strangers may write it. */
const getsSecrets = ({ is_fork_pr, event }: TaskFacts) => !is_fork_pr || event === 'pull_request_target'
const noSecrets: Readonly<Record<string, string>> = {}

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
      return [key, { outputs: Object.fromEntries(outputs), result: resultOf(aggregate(parts)) }]
    }),
  )
}
