import type { JsonObject } from '@bufbuild/protobuf'
import type { Sql } from '../../db/sql.ts'
import { aggregate } from '../run/status.ts'
import { secretsForJobs } from '../secrets/secret-store.ts'
import { variablesForJobs } from '../secrets/variable-store.ts'
import { mergeOutput } from './output-store.ts'
import { resultOf } from './report.ts'
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
}

/**
 * The content of a task. `token`: the task's token in plaintext; `host`: base URL of links, with a trailing slash.
 * Undefined: the job was deleted meanwhile.
 */
export async function taskContent(
  sql: Sql,
  tools: ActionsTools,
  { task, token, host }: { task: number; token: string; host: string },
): Promise<TaskContent | undefined> {
  const facts = await taskFacts(sql, task)
  if (!facts?.payload) return undefined
  const owner = { owner: facts.owner_id, repository: facts.repository_id }
  const [secrets, vars, needs] = await Promise.all([
    // A workflow of a fork gets no secrets, since strangers may write it.
    facts.is_fork_pr && facts.event !== 'pull_request_target' ? {} : secretsForJobs(sql, owner, tools),
    variablesForJobs(sql, owner),
    needsOf(sql, facts),
  ])
  return {
    workflowPayload: facts.payload,
    context: taskContext(facts, { token, host, actionsUrl: tools.actionsUrl }),
    secrets: { ...secrets, GITHUB_TOKEN: token, GITEA_TOKEN: token },
    needs,
    vars: { ...vars },
  }
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
      return [key, { outputs: Object.fromEntries(outputs), result: resultOf(aggregate(parts)) }]
    }),
  )
}
