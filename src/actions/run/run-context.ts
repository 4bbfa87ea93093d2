import { isObject, type Json } from '../workflow/values.ts'
import { BOT_NAME, GHOST_NAME } from './bot.ts'

/** The facts about a run and its repository that the `github` context contains. */
export interface RunFacts {
  run_id: number
  run_number: number
  attempt: number
  workflow_file: string
  event: string
  /** Becomes `github.event`. */
  event_payload: Json
  ref: string
  commit_sha: string
  owner_name: string
  repository_name: string
  /** Null: no actor, or a deleted one. */
  actor_name: string | null
  by_bot: boolean
  /** Who started this attempt. */
  attempt_actor_name: string | null
  attempt_by_bot: boolean
}

/**
 * The members of the `github` context that runners and expressions on the server have in common, all strings: runners
 * ignore numbers. `root`: base URL of links.
 */
export function githubContext(facts: RunFacts, root: string) {
  const rootUrl = root.replace(/\/$/, '')
  return {
    event_name: facts.event,
    run_id: String(facts.run_id),
    run_number: String(facts.run_number),
    run_attempt: String(facts.attempt),
    actor: actorName(facts.actor_name, facts.by_bot),
    triggering_actor: actorName(facts.attempt_actor_name, facts.attempt_by_bot),
    repository: `${facts.owner_name}/${facts.repository_name}`,
    repository_owner: facts.owner_name,
    repositoryUrl: `${rootUrl}/${facts.owner_name}/${facts.repository_name}.git`,
    ...refOf(facts.ref),
    ...branchesOf(facts),
    sha: facts.commit_sha,
    workflow: facts.workflow_file,
    server_url: rootUrl,
    api_url: `${rootUrl}/api/v1`,
  }
}

/** The `github` context of expressions that the server evaluates: what a runner receives, without the token. */
export const serverContext = (
  facts: RunFacts & { workflow_name: string },
  root: string,
): Record<string, Json> => ({
  ...githubContext(facts, root),
  event: facts.event_payload,
  workflow: facts.workflow_name || facts.workflow_file,
})

/** Set for events of pull requests only. */
function branchesOf({ event, event_payload: payload }: RunFacts): { base_ref: string; head_ref: string } {
  const isOfPull = event.startsWith('pull_request') && event !== 'pull_request_comment'
  const pull = memberOf(payload, 'pull_request')
  const refOf = (side: string) => {
    const ref = memberOf(memberOf(pull, side), 'ref')
    return isOfPull && typeof ref === 'string' ? ref : ''
  }
  return { base_ref: refOf('base'), head_ref: refOf('head') }
}

const memberOf = (value: Json | undefined, name: string): Json | undefined =>
  isObject(value) ? value[name] : undefined

const actorName = (name: string | null, byBot: boolean) => name ?? (byBot ? BOT_NAME : GHOST_NAME)

/** The full name, short name and type of a ref; a ref of a pull request is neither a branch nor a tag. */
function refOf(ref: string): { ref: string; ref_name: string; ref_type: string } {
  const [, kind = '', name = ''] = /^refs\/(heads|tags|pull)\/(.+)$/.exec(ref) ?? []
  return {
    ref,
    ref_name: name === '' ? ref : name,
    ref_type: kind === 'heads' ? 'branch' : kind === 'tags' ? 'tag' : '',
  }
}
