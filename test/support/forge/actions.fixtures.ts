import { createHash } from 'node:crypto'
import { apiStatus } from '../../../src/actions/run/api-status.ts'
import type { Status } from '../../../src/actions/run/status.ts'
import { isFinal } from '../../../src/actions/run/status.ts'
import type { Pool } from '../../../src/db/sql.ts'

/** When everything here was created, began and ended. */
export const moments = {
  created: '2026-01-31T07:00:00.000Z',
  started: '2026-01-31T07:01:00.000Z',
  stopped: '2026-01-31T07:02:00.000Z',
} as const

interface RunDraft {
  repository: number
  status?: Status
  event?: string
  ref?: string
  sha?: string
  actor?: number | null
  byBot?: boolean
  needsApproval?: boolean
  title?: string
  file?: string
  attempt?: number
  /** Who asked for the newest attempt. */
  triggerActor?: number | null
}

interface JobDraft {
  run: { id: number; repository: number; attempt: number }
  status?: Status
  name?: string
  labels?: readonly string[]
  attempt?: number
  message?: string
}

/** Makes rows of Actions as its own parts would, without workflows and runners. */
export function actionsIn(pool: Pool) {
  let made = 0

  async function repository(owner: { id: number }, name: string, isPrivate = false): Promise<number> {
    const [row] = await pool<[{ id: number }]>`
      insert into forge.repository
        (owner_id, name, folder_owner, folder_name, state, is_private, default_branch, object_format, created_at,
         updated_at)
      values
        (${owner.id}, ${name}, ${`folder${owner.id}`}, ${name.toLowerCase()}, 'ready', ${isPrivate}, 'main', 'sha1',
         ${moments.created}, ${moments.created})
      returning id`
    return row.id
  }

  async function run(draft: RunDraft) {
    const { repository, status = 'queued', attempt = 1, actor = null, byBot = false } = draft
    const [started, stopped] = spanOf(status)
    const [row] = await pool<[{ id: number; number: number }]>`
      insert into forge.action_run
        (repository_id, number, workflow_file, title, actor_id, by_bot, event, payload, ref, commit_sha,
         needs_approval, status, attempt, started_at, stopped_at, created_at, updated_at)
      values
        (${repository}, (select count(*) + 1 from forge.action_run where repository_id = ${repository}),
         ${draft.file ?? 'ci.yml'}, ${draft.title ?? 'A commit'}, ${actor}, ${byBot}, ${draft.event ?? 'push'}, '{}',
         ${draft.ref ?? 'refs/heads/main'}, ${draft.sha ?? 'a'.repeat(40)}, ${draft.needsApproval ?? false},
         ${status}, ${attempt}, ${started}, ${stopped}, ${moments.created}, ${moments.stopped})
      returning id, number`
    for (let number = 1; number <= attempt; number++) {
      const isNewest = number === attempt
      const by = isNewest ? (draft.triggerActor ?? actor) : actor
      await pool`
        insert into forge.action_attempt
          (run_id, number, actor_id, by_bot, status, started_at, stopped_at, created_at, updated_at)
        values
          (${row.id}, ${number}, ${by}, ${byBot}, ${isNewest ? status : 'failure'},
           ${isNewest ? started : moments.started}, ${isNewest ? stopped : moments.stopped}, ${moments.created},
           ${moments.stopped})`
    }
    return { ...row, repository, attempt }
  }

  async function job({ run, status = 'queued', attempt = run.attempt, ...draft }: JobDraft): Promise<number> {
    const [started, stopped] = spanOf(status)
    const [row] = await pool<[{ id: number }]>`
      insert into forge.action_job
        (run_id, attempt, number, repository_id, name, key, runs_on, message, status, started_at, stopped_at,
         created_at, updated_at)
      values
        (${run.id}, ${attempt}, ${++made}, ${run.repository}, ${draft.name ?? `job ${made}`}, 'job',
         ${[...(draft.labels ?? ['self-hosted'])]}, ${draft.message ?? ''}, ${status}, ${started}, ${stopped},
         ${moments.created}, ${moments.created})
      returning id`
    return row.id
  }

  /** A job in the hands of a runner: its steps in these states, and these pieces of a log. */
  async function task(
    job: number,
    {
      status = 'in_progress',
      steps = [],
      log = [],
    }: { status?: Status; steps?: readonly Status[]; log?: string[] } = {},
  ): Promise<number> {
    const hash = createHash('sha256').update(String(job)).digest()
    const [, stopped] = spanOf(status)
    const [row] = await pool<[{ id: number }]>`
      insert into forge.action_task
        (job_id, runner_id, runner_name, token_hash, status, started_at, stopped_at, created_at, updated_at)
      values
        (${job}, 77, 'r1', ${hash}, ${status}, ${moments.started}, ${stopped}, ${moments.started}, ${moments.stopped})
      returning id`
    for (const [number, state] of steps.entries()) {
      const [from, to] = spanOf(state)
      await pool`
        insert into forge.action_step (task_id, number, name, status, started_at, stopped_at)
        values (${row.id}, ${number}, ${`Run step ${number}`}, ${state}, ${from}, ${to})`
    }
    await lines(row.id, log)
    return row.id
  }

  async function lines(task: number, pieces: readonly string[], first = 0): Promise<void> {
    let line = first
    for (const content of pieces) {
      const count = content.split('\n').length - 1
      await pool`
        insert into forge.action_log (task_id, first_line, lines, content)
        values (${task}, ${line}, ${count}, ${content})`
      line += count
    }
  }

  return { repository, run, job, task, lines }
}

/**
 * The ids that a list selects by a status of the API, among those that are stored in these states; `awaited` is blocked
 * until its approval. `pending` and `waiting` also select what waits for others.
 */
export function selectedBy(
  word: string,
  states: readonly (readonly [Status, number])[],
  awaited: number,
): number[] {
  const also: readonly Status[] =
    word === 'pending' ? ['requested'] : word === 'waiting' ? ['requested', 'blocked'] : []
  const isSelected = (status: Status, id: number) =>
    Object.values(apiStatus(status, id === awaited)).some((each) => each === word) ||
    (id !== awaited && also.includes(status))
  return states.filter(([status, id]) => isSelected(status, id)).map(([, id]) => id)
}

/** When something in that state began and ended. */
function spanOf(status: Status): [started: string | null, stopped: string | null] {
  const waits = status === 'requested' || status === 'blocked' || status === 'queued'
  return [waits ? null : moments.started, isFinal(status) ? moments.stopped : null]
}
