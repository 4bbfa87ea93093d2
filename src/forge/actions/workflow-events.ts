import { jobAction, runAction } from '../../actions/run/api-status.ts'
import { isFinal, STATUSES } from '../../actions/run/status.ts'
import { awaitedOnly } from '../../actions/trigger/listening-store.ts'
import { type DomainEvent, type EventOf, eventDraft, eventsOf } from '../../background/domain-events.ts'
import type { Consumer } from '../../background/outbox.ts'
import { insertEvents } from '../../db/outbox-events.ts'
import type { Sql } from '../../db/sql.ts'
import type { Account } from '../accounts/account-store.ts'
import { ghost } from '../accounts/ghost.ts'
import { printUser } from '../accounts/user.shape.ts'
import { insertJobStatuses } from '../commit-statuses/commit-status-store.ts'
import { jobStatusEvents } from '../commit-statuses/status-events.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { printRepository } from '../repos/repo.shape.ts'
import { subscribedHooks } from '../webhooks/hook-store.ts'
import { actionsOf, printJob } from './job.shape.ts'
import { jobsByIds, type Location, locationOfRun, locationsOfJobs } from './job-list-store.ts'
import { type ListedRun, printRun } from './run.shape.ts'
import { runInRepository } from './run-list-store.ts'

type JobChanges = EventOf<'jobs.changed'>['jobs']

/**
 * Creates commit statuses from changes of jobs, and queues the events of runs, jobs and statuses that webhooks
 * subscribe to, and those of runs that workflows wait for. These hold the status at the time of the change; everything else is read now. `host`: base URL of
 * links. Triggers of the database emit the events that it consumes: `action_job_told_insert` and `action_job_told_update`
 * emit `jobs.changed`, `action_run_told_insert` and `action_run_told_update` emit `run.changed` (0002_forge.sql).
 */
export function workflowConsumer(host: string): Consumer {
  return async (sql, stored, now) => {
    const events: DomainEvent[] = []
    for (const event of eventsOf(stored, ['jobs.changed', 'run.changed'])) {
      if (event.kind === 'run.changed') events.push(...(await runEvents(sql, event, host)))
      else {
        const statuses = await insertJobStatuses(sql, ids(event.jobs), host, now)
        events.push(...(await jobStatusEvents(sql, statuses, host)))
        events.push(...(await jobEvents(sql, event.jobs, host)))
      }
    }
    if (events.length > 0) await insertEvents(sql, events.map(eventDraft), { now, requestId: undefined })
  }
}

const ids = (rows: readonly { id: number }[]) => rows.map(({ id }) => id)

async function jobEvents(sql: Sql, jobs: JobChanges, host: string): Promise<DomainEvent[]> {
  const subscribed = await subscribedOnly(sql, await locationsOfJobs(sql, ids(jobs)), 'workflow_job')
  if (subscribed.length === 0) return []
  const jobIds = subscribed.map(({ job }) => job)
  const printable = await jobsByIds(sql, jobIds)
  const events: DomainEvent[] = []
  const contexts = new Map<string, Awaited<ReturnType<typeof runContext>>>()
  for (const location of subscribed) {
    const key = `${location.run} ${location.attempt}`
    if (!contexts.has(key)) contexts.set(key, await runContext(sql, location, host))
    const job = printable.find(({ id }) => id === location.job)
    const status = statusNamed(jobs.find(({ id }) => id === location.job)?.status)
    const context = contexts.get(key)
    if (!job || !status || !context) continue
    const changed = { ...job, status, stopped_at: isFinal(status) ? job.stopped_at : null }
    const printed = { action: jobAction(status), job: printJob(changed, host) }
    events.push({ kind: 'workflow_job.changed', ...printed, ...context.shared })
  }
  return events
}

async function runEvents(sql: Sql, event: EventOf<'run.changed'>, host: string): Promise<DomainEvent[]> {
  const { run, attempt } = event
  const [location] = await locationOfRun(sql, run, attempt)
  const context = location && (await isRunHeard(sql, location)) && (await runContext(sql, location, host))
  const status = statusNamed(event.status)
  if (!context || !status) return []
  const { listed, shared } = context
  const { started_at, stopped_at } = listed.run
  const action = runAction(status, started_at === event.at)
  if (!action) return []
  const changes = {
    status,
    started_at: action === 'requested' ? null : started_at,
    stopped_at: isFinal(status) ? stopped_at : null,
  }
  const changed = { ...listed, run: { ...listed.run, ...changes } }
  const printed = printRun(changed, { viewer: undefined, host })
  return [
    { kind: 'workflow_run.changed', action, workflow: workflowOf(listed, host), run: printed, ...shared },
  ]
}

/** Whether a webhook subscribes to the run of a location, or a workflow may wait for it. */
const isRunHeard = async (sql: Sql, location: Location) =>
  (await subscribedOnly(sql, [location], 'workflow_run')).length > 0 ||
  (await awaitedOnly(sql, [{ repository_id: location.repository, kind: 'workflow_run' }])).length > 0

const statusNamed = (name: string | undefined) => STATUSES.find((status) => status === name)

const targetOf = ({ repository, owner }: Location) => ({ repository, owner })

/** The locations whose events a webhook subscribes to: checking is cheaper than printing. */
async function subscribedOnly(
  sql: Sql,
  locations: readonly Location[],
  event: 'workflow_job' | 'workflow_run',
): Promise<Location[]> {
  const isSubscribed = new Map<number, boolean>()
  for (const location of locations) {
    if (isSubscribed.has(location.repository)) continue
    isSubscribed.set(location.repository, (await subscribedHooks(sql, event, targetOf(location))).length > 0)
  }
  return locations.filter(({ repository }) => isSubscribed.get(repository))
}

function workflowOf({ run, repository, owner }: ListedRun, host: string) {
  const { api, html } = actionsOf({ owner_name: owner.name, repository_name: repository.name }, host)
  const file = encodeURIComponent(run.workflow_file)
  return {
    id: run.workflow_file,
    name: run.workflow_name || run.workflow_file,
    path: run.workflow_file,
    state: 'active',
    url: `${api}/workflows/${file}`,
    html_url: `${html}?workflow=${file}`,
  }
}

/** The run, and the common members of its events; undefined when the run was deleted. */
async function runContext(sql: Sql, location: Location, host: string) {
  const { repository, run, attempt } = location
  const listed = await runInRepository(sql, repository, run, attempt)
  if (!listed) return undefined
  const { owner } = listed
  return {
    listed,
    shared: {
      location: targetOf(location),
      ...organizationOf(owner, host),
      repository: printRepository(listed.repository, owner, { host, level: LEVELS.owner, known: false }),
      sender: printUser(listed.actor ?? ghost, undefined, host),
    },
  }
}

/** Only repositories of organizations have this member. */
const organizationOf = (owner: Account, host: string) =>
  owner.kind === 'organization' ? { organization: printUser(owner, undefined, host) } : {}
