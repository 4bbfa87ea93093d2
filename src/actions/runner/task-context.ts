import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { bareKey } from '../run/call-scope.ts'
import { githubContext } from '../run/run-context.ts'
import { type Call, inputTexts } from '../workflow/call.ts'
import type { TaskFacts } from './task-facts-store.ts'

/** The input of a context in addition to the facts. */
interface ContextInput {
  /** Token of the task, in plaintext. */
  token: string
  /** Token for artifacts (`runtime-token.ts`). */
  runtimeToken: string
  /** Base URL of links, with a trailing slash. */
  host: string
  /** What the job got that calls the workflow of this one; undefined: it is that of the run. */
  call: Call | undefined
  /** Base URL of actions, without a trailing slash; undefined: this server. */
  actionsUrl: string | undefined
}

/** The `github` context of a job's expressions. */
export function taskContext(
  facts: TaskFacts,
  { token, runtimeToken, host, actionsUrl, call }: ContextInput,
): JsonObject {
  const github = githubContext(facts, host)
  const event = objectOf(facts.event_payload)
  return {
    ...github,
    // As in `calledGithub`.
    ...(call && { event_name: 'workflow_call' }),
    event: call ? { ...event, inputs: inputTexts(call.inputs) } : event,
    token,
    event_path: '',
    ref_protected: false,
    job: bareKey(facts.key),
    server_url: host,
    graphql_url: '',
    gitea_runtime_token: runtimeToken,
    gitea_default_actions_url: actionsUrl ?? github.server_url,
    retention_days: '',
    secret_source: 'Actions',
    workspace: '',
    path: '',
    env: '',
    action: '',
    action_path: '',
    action_ref: '',
    action_repository: '',
    action_status: '',
  }
}

/** The value if it is a JSON object, otherwise an empty object. */
function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** The value comes from JSON, so its members are JSON values. */
function isObject(value: unknown): value is { [name: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
