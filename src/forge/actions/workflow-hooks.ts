import * as v from 'valibot'
import { FINAL_STATUSES, isFinal, STATUSES, type Status } from '../../actions/run/status.ts'
import type { Consumer } from '../../background/outbox.ts'
import type { StoredEvent } from '../../db/outbox-events.ts'
import type { Sql } from '../../db/sql.ts'
import type { Account } from '../accounts/account.ts'
import { ghost } from '../accounts/ghost.ts'
import { insertJobStatuses } from '../commit-statuses/commit-status-store.ts'
import { jobStatusEvents } from '../commit-statuses/status-hooks.ts'
import { LEVELS } from '../repos/access-level.ts'
import { printRepository } from '../repos/repo.shape.ts'
import { printUser } from '../users/user.shape.ts'
import { hookConsumer } from '../webhooks/events.ts'
import { subscribedHooks } from '../webhooks/hook-store.ts'
import { actionsOf, printJob } from './job.shape.ts'
import { jobsByIds } from './job-list.ts'
import { type ListedRun, printRun } from './run.shape.ts'
import { runInRepository } from './run-list.ts'

/** What the database tells when jobs or a run have become something else (sql/migrations/0013_workflow_events.sql). */
const Told = {
  action_jobs: v.object({ jobs: v.array(v.object({ id: v.number(), status: v.picklist(STATUSES) })) }),
  action_run: v.object({ run: v.number(), attempt: v.number(), status: v.picklist(STATUSES) }),
}

type JobsTold = v.InferOutput<typeof Told.action_jobs>['jobs']
type RunTold = v.InferOutput<typeof Told.action_run>

/**
 * Tells hooks of runs and jobs, and writes what jobs say of their commits. What a job or a run was at that moment
 * stands in the event; the rest is read now. `host`: root of links.
 */
export function workflowConsumer(host: string): Consumer {
  return async (sql, events, now) => {
    const told: StoredEvent[] = []
    for (const event of events) {
      if (event.kind === 'action_jobs') {
        const { jobs } = v.parse(Told.action_jobs, event.payload)
        const statuses = await insertJobStatuses(sql, ids(jobs), host, now)
        told.push(...(await jobStatusEvents(sql, event, statuses, host)))
        told.push(...(await jobEvents(sql, event, jobs, host)))
      } else if (event.kind === 'action_run')
        told.push(...(await runEvents(sql, event, v.parse(Told.action_run, event.payload), host)))
    }
    if (told.length > 0) await hookConsumer(sql, told, now)
  }
}

const ids = (rows: readonly { id: number }[]) => rows.map(({ id }) => id)

/** Where jobs belong. */
interface Spot {
  job: number
  run: number
  attempt: number
  repository: number
  owner: number
}

async function jobEvents(sql: Sql, event: StoredEvent, jobs: JobsTold, host: string): Promise<StoredEvent[]> {
  const heard = await heardOnly(sql, await spotsOf(sql, ids(jobs)), 'workflow_job')
  if (heard.length === 0) return []
  const printable = await jobsByIds(
    sql,
    heard.map(({ job }) => job),
  )
  const told: StoredEvent[] = []
  const known = new Map<string, Awaited<ReturnType<typeof surroundings>>>()
  for (const spot of heard) {
    const key = `${spot.run} ${spot.attempt}`
    if (!known.has(key)) known.set(key, await surroundings(sql, spot, host))
    const job = printable.find(({ id }) => id === spot.job)
    const status = jobs.find(({ id }) => id === spot.job)?.status
    const around = known.get(key)
    if (!job || !status || !around) continue
    const shown = { ...job, status, stopped_at: isFinal(status) ? job.stopped_at : null }
    const payload = { action: jobAction(status), workflow_job: printJob(shown, host), ...around.payload }
    told.push({ ...event, kind: 'workflow_job', payload: { payload, ...placeOf(spot) } })
  }
  return told
}

async function runEvents(
  sql: Sql,
  event: StoredEvent,
  { run, attempt, status }: RunTold,
  host: string,
): Promise<StoredEvent[]> {
  const [spot] = await heardOnly(sql, await spotOfRun(sql, run, attempt), 'workflow_run')
  const around = spot && (await surroundings(sql, spot, host))
  if (!around) return []
  const action = runAction(status, around.listed, event.created_at)
  if (!action) return []
  const { listed } = around
  const { started_at, stopped_at } = listed.run
  const final = isFinal(status)
  const then = {
    status,
    started_at: action === 'requested' ? null : started_at,
    stopped_at: final ? stopped_at : null,
  }
  const shown = { ...listed, run: { ...listed.run, ...then } }
  const payload = {
    action,
    workflow: workflowOf(listed, host),
    workflow_run: printRun(shown, { viewer: undefined, host }),
    ...around.payload,
  }
  return [{ ...event, kind: 'workflow_run', payload: { payload, ...placeOf(spot) } }]
}

const placeOf = ({ repository, owner }: Spot) => ({ repository, owner })

/** Those that a hook wants to hear of: printing costs more than asking. */
async function heardOnly(
  sql: Sql,
  spots: readonly Spot[],
  event: 'workflow_job' | 'workflow_run',
): Promise<Spot[]> {
  const heard = new Map<number, boolean>()
  for (const spot of spots) {
    if (heard.has(spot.repository)) continue
    heard.set(spot.repository, (await subscribedHooks(sql, event, placeOf(spot))).length > 0)
  }
  return spots.filter(({ repository }) => heard.get(repository))
}

/** The words of clients for what a job has become. */
function jobAction(status: Status): 'waiting' | 'queued' | 'in_progress' | 'completed' {
  if (status === 'pending' || status === 'blocked') return 'waiting'
  if (status === 'waiting') return 'queued'
  return isFinal(status) ? 'completed' : 'in_progress'
}

/** Undefined for what clients are not told: a run is requested once, and begins once. */
function runAction(
  status: Status,
  { run }: ListedRun,
  at: string,
): 'requested' | 'in_progress' | 'completed' | undefined {
  if (FINAL_STATUSES.some((each) => each === status)) return 'completed'
  // Every attempt is `pending` when it is made, and never again.
  if (status === 'pending') return 'requested'
  return status === 'running' && run.started_at === at ? 'in_progress' : undefined
}

function workflowOf({ run, repository, owner }: ListedRun, host: string) {
  const { api, html } = actionsOf({ owner_name: owner.name, repository_name: repository.name }, host)
  const file = encodeURIComponent(run.workflow_file)
  return {
    id: run.workflow_file,
    name: run.workflow_file,
    path: run.workflow_file,
    state: 'active',
    url: `${api}/workflows/${file}`,
    html_url: `${html}?workflow=${file}`,
  }
}

/** The run, and what every payload ends with; undefined when it has gone. */
async function surroundings(sql: Sql, { repository, run, attempt }: Spot, host: string) {
  const listed = await runInRepository(sql, repository, run, attempt)
  if (!listed) return undefined
  const { owner } = listed
  return {
    listed,
    payload: {
      ...organizationOf(owner, host),
      repository: printRepository(listed.repository, owner, { host, level: LEVELS.owner, known: false }),
      sender: printUser(listed.actor ?? ghost, undefined, host),
    },
  }
}

/** Of repositories of people there is no such member. */
const organizationOf = (owner: Account, host: string) =>
  owner.kind === 'organization' ? { organization: printUser(owner, undefined, host) } : {}

async function spotsOf(sql: Sql, jobs: readonly number[]): Promise<Spot[]> {
  return await sql<Spot[]>`
    select job.id as job, job.run_id as run, job.attempt, job.repository_id as repository, owner_id as owner
    from forge.action_job as job
    join forge.repository on repository.id = job.repository_id and repository.state = 'ready'
    where job.id = any(${[...jobs]}::bigint[])
    order by job.id`
}

async function spotOfRun(sql: Sql, run: number, attempt: number): Promise<Spot[]> {
  return await sql<Spot[]>`
    select 0::bigint as job, run.id as run, ${attempt}::bigint as attempt, run.repository_id as repository,
      owner_id as owner
    from forge.action_run as run
    join forge.repository on repository.id = run.repository_id and repository.state = 'ready'
    where run.id = ${run}`
}
