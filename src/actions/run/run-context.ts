import { refOf } from '../runner/task-context.ts'
import type { Json } from '../workflow/values.ts'
import type { RepoFacts } from './repo-facts-store.ts'

/** The facts of a run that its workflow may read before any job has run. */
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
  /** Who started this attempt. */
  triggering_actor: string
}

/** The `github` context of expressions that the server evaluates: what a runner receives, without the token. */
export function githubContext(
  run: RunFacts,
  repo: Pick<RepoFacts, 'owner_name' | 'name'>,
  root: string,
): Record<string, Json> {
  const rootUrl = root.replace(/\/$/, '')
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
    repositoryUrl: `${rootUrl}/${repo.owner_name}/${repo.name}.git`,
    ...refOf(run.ref),
    base_ref: '',
    head_ref: '',
    sha: run.commit_sha,
    workflow: run.workflow_name === '' ? run.workflow_file : run.workflow_name,
    server_url: rootUrl,
    api_url: `${rootUrl}/api/v1`,
  }
}
