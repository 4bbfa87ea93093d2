import { refOf } from '../runner/task-context.ts'
import type { Json } from '../workflow/values.ts'
import type { RepoFacts } from './repo-facts.ts'

/** Of a run, as its workflow may ask for it before any of its jobs has run. */
export interface RunFacts {
  id: number
  number: number
  attempt: number
  workflow_file: string
  workflow_name: string
  event: string
  payload: Json
  ref: string
  commit_sha: string
  actor: string
  /** Who began this attempt. */
  triggering_actor: string
}

/** `github` in the expressions that are evaluated here: what a runner is given, without the token. */
export function githubContext(
  run: RunFacts,
  repo: Pick<RepoFacts, 'owner_name' | 'name'>,
  root: string,
): Record<string, Json> {
  const address = root.replace(/\/$/, '')
  return {
    event: run.payload,
    event_name: run.event,
    run_id: String(run.id),
    run_number: String(run.number),
    run_attempt: String(run.attempt),
    actor: run.actor,
    triggering_actor: run.triggering_actor,
    repository: `${repo.owner_name}/${repo.name}`,
    repository_owner: repo.owner_name,
    repositoryUrl: `${address}/${repo.owner_name}/${repo.name}.git`,
    ...refOf(run.ref),
    base_ref: '',
    head_ref: '',
    sha: run.commit_sha,
    workflow: run.workflow_name === '' ? run.workflow_file : run.workflow_name,
    server_url: address,
    api_url: `${address}/api/v1`,
  }
}
