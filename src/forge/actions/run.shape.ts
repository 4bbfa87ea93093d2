import * as v from 'valibot'
import { apiStatus } from '../../actions/run/api-status.ts'
import type { Status } from '../../actions/run/status.ts'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import type { Account } from '../accounts/account-store.ts'
import { ghost } from '../accounts/ghost.ts'
import { moment, printUser, User, type Viewer } from '../accounts/user.shape.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import { printRepository, Repository } from '../repos/repo.shape.ts'
import type { Repository as StoredRepository } from '../repos/repo-store.ts'
import { actionsOf, branchOf, state, times } from './job.shape.ts'

const PullSide = v.object({
  ref: described(v.string(), 'Name of the branch'),
  sha: v.string(),
  repo: v.object({ id: int, url: v.string(), name: v.string() }),
})

/** A pull request that a run is about, or that proposes the branch whose push caused it. */
const PullRequestMinimal = shape('PullRequestMinimal', {
  id: int,
  number: int,
  url: v.string(),
  head: described(
    PullSide,
    'The commit of the run; the repository of the base, if that of the head is gone or private',
  ),
  base: described(PullSide, 'The commit from which the branches diverge'),
})

/** A run of a workflow, in the state of one attempt: the newest unless another one is requested. */
export const WorkflowRun = shape('WorkflowRun', {
  id: int,
  url: v.string(),
  previous_attempt_url: described(v.nullable(v.string()), 'Null in the first attempt'),
  html_url: v.string(),
  jobs_url: v.string(),
  logs_url: v.string(),
  artifacts_url: v.string(),
  cancel_url: v.string(),
  rerun_url: v.string(),
  display_title: v.string(),
  path: described(v.string(), 'File and ref of the workflow: `ci.yml@refs/heads/main`'),
  event: described(v.string(), 'What started it, such as `push`'),
  run_attempt: int,
  run_number: described(int, 'Number in its repository, counted from 1'),
  head_sha: v.string(),
  head_branch: v.optional(v.string()),
  ...state,
  /** Who caused the first attempt, and who caused this one. */
  actor: User,
  trigger_actor: User,
  repository: Repository,
  pull_requests: described(
    v.array(PullRequestMinimal),
    'The one that it is about; for a push, those that propose its branch in the repository',
  ),
  created_at: moment,
  updated_at: moment,
  ...times,
})
export type WorkflowRun = v.InferOutput<typeof WorkflowRun>

/** A page of runs. */
export const WorkflowRunsList = shape('WorkflowRunsList', {
  workflow_runs: v.array(WorkflowRun),
  total_count: int,
})

/** A run as lists read it. Actors without an account are null. */
export interface StoredRun {
  id: number
  repository_id: number
  owner_id: number
  number: number
  workflow_file: string
  /** Empty: the file has none. */
  workflow_name: string
  title: string
  event: string
  ref: string
  commit_sha: string
  needs_approval: boolean
  actor_id: number | null
  by_bot: boolean
  /** From here: members of the attempt. */
  attempt: number
  status: Status
  trigger_actor_id: number | null
  triggered_by_bot: boolean
  started_at: string | null
  stopped_at: string | null
  created_at: string
  updated_at: string
  pull_requests: {
    id: number
    number: number
    head_branch: string
    base_branch: string
    merge_base: string
    /** Null: it is gone, or not public. */
    head: { id: number; name: string; owner_name: string } | null
  }[]
}

/** A run with its repository and the accounts that it names. */
export interface ListedRun {
  run: StoredRun
  repository: StoredRepository
  owner: Account
  actor: Account | undefined
  triggerActor: Account | undefined
}

/** Who views runs; `host` is the base URL of links (`from.host`). */
interface RunView {
  viewer: Viewer
  host: string
}

/** A run as the API prints it. Its repository is printed with the permissions of a stranger. */
export function printRun(
  { run, repository, owner, ...accounts }: ListedRun,
  { viewer, host }: RunView,
): WorkflowRun {
  const names = { owner_name: owner.name, repository_name: repository.name }
  const actions = actionsOf(names, host)
  const api = `${actions.api}/runs/${run.id}`
  const branch = branchOf(run.ref)
  return {
    id: run.id,
    url: api,
    previous_attempt_url: run.attempt > 1 ? `${api}/attempts/${run.attempt - 1}` : null,
    html_url: `${actions.html}/runs/${run.id}`,
    jobs_url: `${api}/jobs`,
    logs_url: `${api}/logs`,
    artifacts_url: `${api}/artifacts`,
    cancel_url: `${api}/cancel`,
    rerun_url: `${api}/rerun`,
    display_title: run.title,
    path: `${run.workflow_file}@${run.ref}`,
    event: run.event,
    run_attempt: run.attempt,
    run_number: run.number,
    head_sha: run.commit_sha,
    ...(branch !== undefined && { head_branch: branch }),
    ...apiStatus(run.status, run.needs_approval),
    actor: printUser(accounts.actor ?? ghost, viewer, host),
    trigger_actor: printUser(accounts.triggerActor ?? ghost, viewer, host),
    repository: printRepository(repository, owner, { host, level: LEVELS.none, known: viewer !== undefined }),
    pull_requests: run.pull_requests.map((pull) => printPull(pull, run, { ...names, host })),
    created_at: printTime(run.created_at, EPOCH),
    updated_at: printTime(run.updated_at, EPOCH),
    started_at: printTime(run.started_at, EPOCH),
    completed_at: printTime(run.stopped_at, EPOCH),
  }
}

function printPull(
  { id, number, head, head_branch, base_branch, merge_base }: StoredRun['pull_requests'][number],
  { repository_id, commit_sha }: StoredRun,
  { owner_name, repository_name, host }: { owner_name: string; repository_name: string; host: string },
): v.InferOutput<typeof PullRequestMinimal> {
  const base = { id: repository_id, name: repository_name, owner_name }
  const repo = (of: typeof base) => ({
    id: of.id,
    url: `${host}api/v1/repos/${of.owner_name}/${of.name}`,
    name: of.name,
  })
  return {
    id,
    number,
    url: `${repo(base).url}/pulls/${number}`,
    head: { ref: head_branch, sha: commit_sha, repo: repo(head ?? base) },
    base: { ref: base_branch, sha: merge_base, repo: repo(base) },
  }
}
