import { randomUUID } from 'node:crypto'
import { messageOf, OperatorError } from '../../common/errors.ts'
import type { Sql } from '../../db/sql.ts'
import { lease } from '../claim.ts'
import { oneAtATime } from '../recurring.ts'
import { type Run, type RunDeps, startRun } from './cron-run.ts'
import {
  bringTasksForward,
  type Claim,
  type CronEntry,
  type CronRow,
  claimDue,
  claimNow,
  dueTimes,
  hastenTasks,
  registerTasks,
  releaseTasks,
  skipTurn,
  tasksByName,
} from './cron-store.ts'
import type { CronTask } from './cron-task.ts'
import { parseTimetable, type Timetable, type Timetables } from './timetable.ts'

/** The configuration names tasks that do not exist. */
export class NoSuchTask extends OperatorError {
  override readonly exitCode = 2
}

/** Timing of the schedule. */
export interface ScheduleOptions {
  /** Milliseconds without a heartbeat after which a process loses its tasks to others. */
  lease: number
  /** Maximum time between two checks for due tasks, in milliseconds: other processes may change the times. */
  longestSleep: number
  /** Milliseconds that running tasks may still take when the process stops. */
  grace: number
}

const scheduleDefaults: ScheduleOptions = { lease, longestSleep: 30_000, grace: 500 }

/** Of several processes that start within this time, in milliseconds, only one runs the tasks that run at startup. */
const startWindow = 60_000

/** A task with its timetable; null if it is not scheduled. */
interface Planned {
  task: CronTask
  timetable: Timetable | null
}

/** What the schedule depends on. */
interface ScheduleDeps extends RunDeps {
  /** In the order of listing. */
  tasks: readonly CronTask[]
  /** Timetables from the configuration, which replace those of the tasks. */
  timetables: Timetables
}

/**
 * Runs tasks when they are due, each in one process at a time. A table stores what must survive the process: when each
 * task is due, which process runs it, and the result. A process that runs a task sends heartbeats to the table; if it
 * dies, another process takes over the task when it is next due.
 */
export class Schedule {
  readonly #parts: ScheduleDeps
  readonly #options: ScheduleOptions
  readonly #planned: ReadonlyMap<string, Planned>
  readonly #runs = new Set<Run>()
  /** Latest expiry of claims made by a previous process. */
  readonly #lastExpiry: Date
  #state: 'idle' | 'running' | 'stopped' = 'idle'
  #timer: NodeJS.Timeout | undefined

  /** @throws NoSuchTask */
  constructor(parts: ScheduleDeps, options: Partial<ScheduleOptions> = {}) {
    this.#parts = parts
    this.#options = { ...scheduleDefaults, ...options }
    this.#planned = plan(parts.tasks, parts.timetables)
    this.#lastExpiry = this.#leaseFrom(parts.clock())
  }

  /** Every task in order, with what it does, and its schedule as text; `-` if it only runs on request. */
  get tasks(): Pick<CronTask, 'name' | 'schedule' | 'summary'>[] {
    return [...this.#planned.values()].map(({ task, timetable }) => ({
      name: task.name,
      summary: task.summary,
      schedule: textOf(timetable),
    }))
  }

  /** The state of all tasks, by name. */
  async states(sql: Sql): Promise<Map<string, CronRow>> {
    const rows = await tasksByName(sql, [...this.#planned.keys()], this.#parts.clock())
    return new Map(rows.map((row) => [row.name, row]))
  }

  /** Starts to run due tasks. `alone`: no other process uses this database, so no claim of another one can be valid. */
  async start({ alone }: { alone: boolean }): Promise<void> {
    const { begin, clock } = this.#parts
    await begin(async (tx) => {
      const now = clock()
      const entries = [...this.#planned.values()].map((planned) => entryOf(planned, now))
      await registerTasks(tx, entries)
      if (alone) await releaseTasks(tx, now, this.#lastExpiry)
      const startTasks = [...this.#planned].filter(([, { task, timetable }]) => task.runAtStart && timetable)
      const names = startTasks.map(([name]) => name)
      await hastenTasks(tx, names, now, new Date(now.getTime() - startWindow))
    })
    if (this.#state === 'stopped') return
    this.#state = 'running'
    this.#scheduleNextCheck(0)
  }

  /**
   * Starts the tasks that are due now; resolves when they have started. Does nothing before `start` and after `stop`.
   */
  readonly check = oneAtATime(async () => {
    clearTimeout(this.#timer)
    let wait = 5_000
    try {
      wait = await this.#begin()
    } catch (error) {
      this.#parts.log.error('scheduled tasks are delayed', { error: messageOf(error) })
    }
    this.#scheduleNextCheck(wait)
  })

  /** Makes tasks due no later than their timetables say: before the clock was set back, they got times far in the future. */
  async bringForward(): Promise<void> {
    const { pool, clock } = this.#parts
    const now = clock()
    const entries = [...this.#planned.values()].map((planned) => entryOf(planned, now))
    await bringTasksForward(pool, entries, this.#leaseFrom(now))
    await this.check()
  }

  /** Claims a task for `launch`, due or not; undefined while it is running in any process. */
  async claim(sql: Sql, name: string): Promise<Claim | undefined> {
    const planned = this.#planned.get(name)
    const claim = this.#claimOf(name)
    return planned && (await claimNow(sql, claim, entryOf(planned, claim.now))) ? claim : undefined
  }

  /** Runs a claimed task; the result is stored under its name. */
  launch(claim: Claim): void {
    const task = this.#planned.get(claim.name)?.task
    if (!task) return
    const run = startRun(this.#parts, task, claim, this.#options.lease)
    this.#runs.add(run)
    void run.done.then(() => this.#runs.delete(run))
    if (this.#state === 'stopped') run.abort()
  }

  /** Resolves when this process runs no tasks. */
  async idle(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all([...this.#runs].map(({ done }) => done))
  }

  /** Stops: aborts running tasks and releases them after the grace period. */
  async stop(): Promise<void> {
    this.#state = 'stopped'
    clearTimeout(this.#timer)
    for (const run of this.#runs) run.abort()
    await this.check()
    const timeout = new Promise<void>((resolve) => {
      setTimeout(resolve, this.#options.grace).unref()
    })
    await Promise.race([this.idle(), timeout])
    await Promise.all([...this.#runs].map((run) => run.release()))
  }

  /** Starts all due tasks; returns the milliseconds until the next check. */
  async #begin(): Promise<number> {
    const { pool, clock } = this.#parts
    const names = [...this.#planned].filter(([, { timetable }]) => timetable).map(([name]) => name)
    while (this.#state === 'running') {
      const now = clock().getTime()
      const times = await dueTimes(pool, names)
      const due = times.filter(({ next_at }) => Date.parse(next_at) <= now)
      for (const { name } of due) await this.#runScheduled(name)
      const [first] = times
      if (due.length === 0) return first ? Date.parse(first.next_at) - now : this.#options.longestSleep
    }
    return 0
  }

  async #runScheduled(name: string): Promise<void> {
    const { pool } = this.#parts
    const claim = this.#claimOf(name)
    const next = this.#planned.get(name)?.timetable?.next(claim.now)
    if (!next) return
    if (await claimDue(pool, claim, next)) this.launch(claim)
    else await skipTurn(pool, name, claim.now, next)
  }

  #claimOf(name: string): Claim {
    const now = this.#parts.clock()
    return { name, mark: randomUUID(), now, until: this.#leaseFrom(now) }
  }

  #leaseFrom(now: Date): Date {
    return new Date(now.getTime() + this.#options.lease)
  }

  #scheduleNextCheck(wait: number): void {
    clearTimeout(this.#timer)
    if (this.#state !== 'running') return
    this.#timer = setTimeout(() => void this.check(), Math.max(0, Math.min(wait, this.#options.longestSleep)))
  }
}

const textOf = (timetable: Timetable | null) => timetable?.text ?? '-'

const entryOf = ({ task, timetable }: Planned, now: Date): CronEntry => ({
  name: task.name,
  schedule: textOf(timetable),
  next: timetable?.next(now) ?? null,
})

/** @throws NoSuchTask, or an error for a task whose own schedule is invalid */
function plan(tasks: readonly CronTask[], timetables: Timetables): Map<string, Planned> {
  const unknown = [...timetables.keys()].filter((name) => !tasks.some((task) => task.name === name))
  if (unknown.length > 0) throw new NoSuchTask(`CRON has a schedule for unknown tasks: ${unknown.join(', ')}`)
  return new Map(
    tasks.map((task) => {
      const standard = parseTimetable(task.schedule)
      if (!standard.ok) throw new Error(`${task.name}: its schedule ${standard.fault}`)
      const configured = timetables.get(task.name)
      const timetable = configured ?? (configured === null || task.enabled === false ? null : standard.value)
      return [task.name, { task, timetable }] as const
    }),
  )
}
