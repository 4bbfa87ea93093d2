import { randomUUID } from 'node:crypto'
import type { Sql } from '../../db/sql.ts'
import { messageOf, OperatorError } from '../../errors.ts'
import { lease } from '../claim.ts'
import { oneAtATime } from '../one-at-a-time.ts'
import { type Run, type RunDeps, startRun } from './cron-run.ts'
import {
  type CronEntry,
  type CronRow,
  dueTimes,
  type Hold,
  hastenTasks,
  registerTasks,
  releaseTasks,
  skipTurn,
  takeDue,
  takeNow,
  tasksByName,
} from './cron-store.ts'
import type { CronTask } from './cron-task.ts'
import { parseTimetable, type Timetable, type Timetables } from './timetable.ts'

/** Names in the configuration that no task has. */
export class NoSuchTask extends OperatorError {}

/** How the schedule is kept. */
export interface ScheduleOptions {
  /** Milliseconds after which a process that gives no sign of life has lost its tasks to others. */
  lease: number
  /** Longest time between two looks at what is due, in milliseconds: other processes may change it. */
  longestSleep: number
  /** Milliseconds that tasks may still take when the process stops. */
  grace: number
}

const scheduleDefaults: ScheduleOptions = { lease, longestSleep: 30_000, grace: 500 }

/** Processes that start within this time of each other do not all run what runs at start, in milliseconds. */
const sameStart = 60_000

/** A task and when it runs by itself. */
interface Planned {
  task: CronTask
  timetable: Timetable | null
}

/** What the schedule is made of. */
export interface ScheduleDeps extends RunDeps {
  /** In the order in which they are listed. */
  tasks: readonly CronTask[]
  /** What the configuration says instead of the tasks' own schedules. */
  timetables: Timetables
}

/**
 * Runs tasks when they are due, each in one process at a time. What must survive the process stands in a table: when
 * each task is due, who runs it, what became of it. Who runs a task shows signs of life there; of one that has died the
 * task is taken over when it is due again.
 */
export class Schedule {
  readonly #parts: ScheduleDeps
  readonly #options: ScheduleOptions
  readonly #planned: ReadonlyMap<string, Planned>
  readonly #runs = new Set<Run>()
  /** What a process before this one holds ends then at the latest. */
  readonly #lastHold: Date
  #state: 'idle' | 'running' | 'stopped' = 'idle'
  #timer: NodeJS.Timeout | undefined

  /** @throws NoSuchTask */
  constructor(parts: ScheduleDeps, options: Partial<ScheduleOptions> = {}) {
    this.#parts = parts
    this.#options = { ...scheduleDefaults, ...options }
    this.#planned = plan(parts.tasks, parts.timetables)
    this.#lastHold = this.#leaseFrom(parts.clock())
  }

  /** Every task in order, with its schedule as text; `-` where it runs only when somebody asks for it. */
  get tasks(): { name: string; schedule: string }[] {
    return [...this.#planned.values()].map(({ task, timetable }) => ({
      name: task.name,
      schedule: textOf(timetable),
    }))
  }

  /** What is known of all tasks, by name. */
  async known(sql: Sql): Promise<Map<string, CronRow>> {
    const rows = await tasksByName(sql, [...this.#planned.keys()], this.#parts.clock())
    return new Map(rows.map((row) => [row.name, row]))
  }

  /** Begins to run what is due. `alone`: no other process is on this database, so that nobody else can hold a task. */
  async start({ alone }: { alone: boolean }): Promise<void> {
    const { begin, clock } = this.#parts
    await begin(async (tx) => {
      const now = clock()
      const entries = [...this.#planned.values()].map((planned) => entryOf(planned, now))
      await registerTasks(tx, entries)
      if (alone) await releaseTasks(tx, now, this.#lastHold)
      const early = [...this.#planned].filter(([, { task, timetable }]) => task.runAtStart && timetable)
      const names = early.map(([name]) => name)
      await hastenTasks(tx, names, now, new Date(now.getTime() - sameStart))
    })
    if (this.#state === 'stopped') return
    this.#state = 'running'
    this.#lookAgain(0)
  }

  /** Runs what is due now; settles when that has begun. Does nothing before the start and after the stop. */
  readonly look = oneAtATime(async () => {
    clearTimeout(this.#timer)
    let wait = 5_000
    try {
      wait = await this.#begin()
    } catch (error) {
      this.#parts.log.error('scheduled tasks are held up', { error: messageOf(error) })
    }
    this.#lookAgain(wait)
  })

  /** Takes a task whenever it is due, for `launch`; undefined while it runs somewhere. */
  async take(sql: Sql, name: string): Promise<Hold | undefined> {
    const planned = this.#planned.get(name)
    const hold = this.#holdOf(name)
    return planned && (await takeNow(sql, hold, entryOf(planned, hold.now))) ? hold : undefined
  }

  /** Runs a task that was taken; the result is found under its name. */
  launch(hold: Hold): void {
    const task = this.#planned.get(hold.name)?.task
    if (!task) return
    const run = startRun(this.#parts, task, hold, this.#options.lease)
    this.#runs.add(run)
    void run.done.then(() => this.#runs.delete(run))
    if (this.#state === 'stopped') run.abort()
  }

  /** Settles when nothing runs here any more. */
  async idle(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all([...this.#runs].map(({ done }) => done))
  }

  /** Ends: tasks are told to, and given up after their grace. */
  async stop(): Promise<void> {
    this.#state = 'stopped'
    clearTimeout(this.#timer)
    for (const run of this.#runs) run.abort()
    await this.look()
    const patience = new Promise<void>((resolve) => {
      setTimeout(resolve, this.#options.grace).unref()
    })
    await Promise.race([this.idle(), patience])
    await Promise.all([...this.#runs].map((run) => run.giveUp()))
  }

  /** Begins all that is due; gives the milliseconds until there may be more. */
  async #begin(): Promise<number> {
    const { pool, clock } = this.#parts
    const names = [...this.#planned].filter(([, { timetable }]) => timetable).map(([name]) => name)
    while (this.#state === 'running') {
      const now = clock().getTime()
      const times = await dueTimes(pool, names)
      const due = times.filter(({ next_at }) => Date.parse(next_at) <= now)
      for (const { name } of due) await this.#takeTurn(name)
      const [first] = times
      if (due.length === 0) return first ? Date.parse(first.next_at) - now : this.#options.longestSleep
    }
    return 0
  }

  async #takeTurn(name: string): Promise<void> {
    const { pool } = this.#parts
    const hold = this.#holdOf(name)
    const next = this.#planned.get(name)?.timetable?.next(hold.now)
    if (!next) return
    if (await takeDue(pool, hold, next)) this.launch(hold)
    else await skipTurn(pool, name, hold.now, next)
  }

  #holdOf(name: string): Hold {
    const now = this.#parts.clock()
    return { name, claim: randomUUID(), now, until: this.#leaseFrom(now) }
  }

  #leaseFrom(now: Date): Date {
    return new Date(now.getTime() + this.#options.lease)
  }

  #lookAgain(wait: number): void {
    clearTimeout(this.#timer)
    if (this.#state !== 'running') return
    this.#timer = setTimeout(() => void this.look(), Math.max(0, Math.min(wait, this.#options.longestSleep)))
  }
}

const textOf = (timetable: Timetable | null) => timetable?.text ?? '-'

const entryOf = ({ task, timetable }: Planned, now: Date): CronEntry => ({
  name: task.name,
  schedule: textOf(timetable),
  next: timetable?.next(now) ?? null,
})

/** @throws NoSuchTask, and an error for a task whose own schedule is none */
function plan(tasks: readonly CronTask[], timetables: Timetables): Map<string, Planned> {
  const unknown = [...timetables.keys()].filter((name) => !tasks.some((task) => task.name === name))
  if (unknown.length > 0)
    throw new NoSuchTask(`CRON has a schedule for what is no task: ${unknown.join(', ')}`)
  return new Map(
    tasks.map((task) => {
      const own = parseTimetable(task.schedule)
      if ('fault' in own) throw new Error(`${task.name}: its schedule ${own.fault}`)
      const chosen = timetables.get(task.name)
      const timetable = chosen === undefined ? (task.enabled === false ? null : own.value) : chosen
      return [task.name, { task, timetable }] as const
    }),
  )
}
