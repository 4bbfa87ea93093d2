import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { BOT_NAME, GHOST_NAME } from '../run/bot.ts'
import type { TaskFacts } from './task-facts-store.ts'

/** What a context needs in addition to the facts. */
interface ContextInput {
  /** Token of the task, in plaintext. */
  token: string
  /** Base URL of links, with a trailing slash. */
  host: string
  /** Base URL of actions, without a trailing slash; undefined: this server. */
  actionsUrl: string | undefined
}

/**
 * The `github` context of a job's expressions. Runners expect strings and ignore numbers, so every member is a string
 * except `event` and `ref_protected`.
 */
export function taskContext(facts: TaskFacts, { token, host, actionsUrl }: ContextInput): JsonObject {
  const root = host.replace(/\/$/, '')
  const event = objectOf(facts.event_payload)
  return {
    token,
    event,
    event_name: facts.event,
    event_path: '',
    run_id: String(facts.run_id),
    run_number: String(facts.run_number),
    run_attempt: String(facts.attempt),
    actor: facts.actor_name ?? fallbackActor(facts.by_bot),
    triggering_actor: facts.attempt_actor_name ?? fallbackActor(facts.attempt_by_bot),
    repository: `${facts.owner_name}/${facts.repository_name}`,
    repository_owner: facts.owner_name,
    repositoryUrl: `${root}/${facts.owner_name}/${facts.repository_name}.git`,
    ...refOf(facts.ref),
    ref_protected: false,
    sha: facts.commit_sha,
    ...branchesOf(event),
    job: facts.key,
    workflow: facts.workflow_file,
    server_url: host,
    api_url: `${root}/api/v1`,
    graphql_url: '',
    gitea_default_actions_url: actionsUrl ?? root,
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

/** The name for a missing or deleted actor. */
export const fallbackActor = (byBot: boolean) => (byBot ? BOT_NAME : GHOST_NAME)

/** The full name, short name and type of a ref; a ref of a pull request is neither a branch nor a tag. */
export function refOf(ref: string): { ref: string; ref_name: string; ref_type: string } {
  const [, kind = '', name = ''] = /^refs\/(heads|tags|pull)\/(.+)$/.exec(ref) ?? []
  return {
    ref,
    ref_name: name === '' ? ref : name,
    ref_type: kind === 'heads' ? 'branch' : kind === 'tags' ? 'tag' : '',
  }
}

/** Set for pull requests only. */
function branchesOf({ pull_request: request }: JsonObject): { base_ref: string; head_ref: string } {
  const refOfSide = (side: string) => {
    const end = objectOf(objectOf(request)[side])
    return typeof end.ref === 'string' ? end.ref : ''
  }
  return { base_ref: refOfSide('base'), head_ref: refOfSide('head') }
}

/** The value if it is a JSON object, otherwise an empty object. */
function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** The value comes from JSON, so its members are JSON values. */
function isObject(value: unknown): value is { [name: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
