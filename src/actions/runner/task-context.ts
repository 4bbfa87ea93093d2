import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { BOT_NAME, GHOST_NAME } from '../run/bot.ts'
import type { TaskFacts } from './task-facts.ts'

/** What a context is made of beside the facts. */
export interface Surroundings {
  /** Of the task, in the clear. */
  token: string
  /** Root of links, with a slash at its end. */
  host: string
  /** Where actions are cloned from, without a slash at its end; undefined: from this server. */
  actionsUrl: string | undefined
}

/**
 * `github` in the expressions of a job. Runners read texts where they expect them, and a number as nothing: everything
 * is a text but the event and `ref_protected`.
 */
export function taskContext(facts: TaskFacts, { token, host, actionsUrl }: Surroundings): JsonObject {
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
    actor: facts.actor_name ?? nobody(facts.by_bot),
    triggering_actor: facts.attempt_actor_name ?? nobody(facts.attempt_by_bot),
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

/** Who stands for nobody, and for somebody who has gone. */
export const nobody = (byBot: boolean) => (byBot ? BOT_NAME : GHOST_NAME)

/** A ref in three forms; that of a pull request is neither a branch nor a tag. */
export function refOf(ref: string): { ref: string; ref_name: string; ref_type: string } {
  const [, kind = '', name = ''] = /^refs\/(heads|tags|pull)\/(.+)$/.exec(ref) ?? []
  return {
    ref,
    ref_name: name === '' ? ref : name,
    ref_type: kind === 'heads' ? 'branch' : kind === 'tags' ? 'tag' : '',
  }
}

/** Of pull requests only. */
function branchesOf({ pull_request: request }: JsonObject): { base_ref: string; head_ref: string } {
  const refIn = (side: string) => {
    const end = objectOf(objectOf(request)[side])
    return typeof end.ref === 'string' ? end.ref : ''
  }
  return { base_ref: refIn('base'), head_ref: refIn('head') }
}

/** The object that a value from the database's JSON is; an empty one where it is none. */
function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** What JSON was read into holds nothing but JSON. */
function isObject(value: unknown): value is { [name: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
