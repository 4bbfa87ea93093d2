import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, test } from 'node:test'
import type { CronTask } from '../../../src/background/cron/cron-task.ts'
import { NoSuchTask, Schedule, type ScheduleOptions } from '../../../src/background/cron/schedule.ts'
import { parseTimetables } from '../../../src/background/cron/timetable.ts'
import { beginOn } from '../../../src/db/begin.ts'
import { openPool } from '../../../src/db/open.ts'
import { createLog } from '../../../src/log.ts'
import { stoppedClock } from '../../support/clock.ts'
import { openTestDatabase } from '../../support/database.ts'
import { keepLines } from '../../support/sink.ts'
import { held, turns, until } from '../../support/wait.ts'

/** Two processes that share nothing but a database; the embedded one serves both through one session. */
const database = await openTestDatabase()
const other = database.url === undefined ? database.pool : openPool({ url: database.url, poolSize: 5 })
const { pool } = database
const open: Schedule[] = []
after(async () => {
  if (other !== pool) await other.end({ timeout: 5 })
  await database.close()
})
const clock = stoppedClock()
const sink = keepLines()
const log = createLog('debug', sink)
const hour = 3_600_000

beforeEach(async () => {
  await pool`delete from forge.cron_task`
})
// A process of one test would take turns of the next.
afterEach(async () => {
  await Promise.all(open.splice(0).map((schedule) => schedule.stop()))
})

/** A process that has these tasks. */
function processWith(
  tasks: readonly CronTask[],
  { on = pool, cron = '', ...options }: { on?: typeof pool; cron?: string } & Partial<ScheduleOptions> = {},
) {
  const read = parseTimetables(cron)
  if (!read.ok) throw new Error(read.fault)
  const begin = beginOn(on, clock.now)
  const parts = {
    pool: on,
    begin,
    clock: clock.now,
    log,
    tasks,
    timetables: read.value,
  }
  const schedule = new Schedule(parts, { grace: 0, ...options })
  open.push(schedule)
  const go = async (options = { alone: false }) => {
    await schedule.start(options)
    await check()
  }
  const check = async () => {
    await schedule.check()
    await schedule.idle()
  }
  return { schedule, go, check }
}

const counting = (more: Partial<CronTask> = {}) => {
  const runs: Date[] = []
  const task: CronTask = {
    name: 'count',
    summary: 'Is a task of a test.',
    schedule: '@every 1h',
    run: async ({ now }) => {
      runs.push(now)
      return `run ${runs.length}`
    },
    ...more,
  }
  return { task, runs }
}

async function rowOf(name: string) {
  const [row] = await pool`
    select next_at, prev_at, exec_times, claim, outcome, message, finished_at
    from forge.cron_task
    where name = ${name}`
  assert.ok(row, `${name} is known`)
  return row
}

/** Lines are written with the next turn of the event loop. */
async function linesSoFar() {
  await turns()
  return sink.lines()
}

const inHours = (count: number) => new Date(clock.now().getTime() + count * hour).toISOString()

test('a task runs when it is due and not before, and what is known of it is written down', async () => {
  const { task, runs } = counting()
  const { go, check } = processWith([task])
  await go()
  assert.equal(runs.length, 0)
  assert.equal((await rowOf('count')).next_at, inHours(1))
  clock.tick(hour - 1)
  await check()
  assert.equal(runs.length, 0)
  clock.tick(1)
  await check()
  await check()
  assert.deepEqual(runs, [clock.now()])
  const row = await rowOf('count')
  const now = clock.now().toISOString()
  assert.deepEqual(row, {
    next_at: inHours(1),
    prev_at: now,
    exec_times: 1,
    claim: null,
    outcome: 'succeeded',
    message: 'run 1',
    finished_at: now,
  })
  assert.ok((await linesSoFar()).some(({ message, result }) => message === 'task done' && result === 'run 1'))
})

test('without anybody to look at it, the timer finds what is due', async () => {
  const { task, runs } = counting({ runAtStart: true })
  const { schedule } = processWith([task])
  await schedule.start({ alone: false })
  await until('it has run', () => runs.length === 1)
})

test('a restart keeps when tasks are due and how often they ran; a turn that was missed is made up for once', async () => {
  const { task, runs } = counting()
  const first = processWith([task])
  await first.go()
  clock.tick(hour)
  await first.check()
  await first.schedule.stop()
  const due = (await rowOf('count')).next_at
  clock.tick(hour / 2)
  const second = processWith([task])
  await second.go()
  assert.equal((await rowOf('count')).next_at, due)
  await second.schedule.stop()
  clock.tick(10 * hour)
  const third = processWith([task])
  await third.go()
  const row = await rowOf('count')
  assert.deepEqual([runs.length, row.exec_times, row.next_at], [2, 2, inHours(1)])
})

test('another schedule counts from the start of the program that has it', async () => {
  const { task } = counting()
  await processWith([task]).go()
  await processWith([task], { cron: 'count=@every 2h' }).go()
  assert.equal((await rowOf('count')).next_at, inHours(2))
  const off = processWith([task], { cron: 'count=-' })
  await off.go()
  assert.equal((await rowOf('count')).next_at, null)
  assert.deepEqual(off.schedule.tasks, [{ name: 'count', summary: task.summary, schedule: '-' }])
  await processWith([counting({ enabled: false }).task], { cron: 'count=@weekly' }).go()
  assert.notEqual((await rowOf('count')).next_at, null)
})

test('a schedule for a task that is not there, and a schedule that is none, are refused at once', () => {
  const { task } = counting()
  assert.throws(() => processWith([task], { cron: 'cuont=@daily' }), NoSuchTask)
  assert.throws(() => processWith([{ ...task, schedule: 'often' }]), /count/)
})

test('what runs at start does, but not when another process has just done it or it does not run by itself', async () => {
  const { task, runs } = counting({ runAtStart: true })
  const off = counting({ name: 'off', runAtStart: true, enabled: false })
  await processWith([task, off.task]).go()
  await processWith([task, off.task], { on: other }).go()
  assert.deepEqual([runs.length, off.runs.length], [1, 0])
  clock.tick(61_000)
  await processWith([task, off.task]).go()
  assert.deepEqual([runs.length, off.runs.length], [2, 0])
})

test('of two processes one runs each turn', async () => {
  const { task, runs } = counting()
  const [left, right] = [processWith([task]), processWith([task], { on: other })]
  await Promise.all([left.go(), right.go()])
  for (let turn = 1; turn <= 10; turn++) {
    clock.tick(hour)
    await Promise.all([left.check(), right.check(), left.check(), right.check()])
    assert.equal(runs.length, turn)
  }
  assert.equal((await rowOf('count')).exec_times, 10)
})

test('a task never runs twice at once, in one process or two; a turn that comes meanwhile is passed over', async () => {
  const limiter = held<void>()
  let runs = 0
  const task: CronTask = {
    name: 'slow',
    summary: 'Is a task of a test.',
    schedule: '@every 1h',
    run: async () => {
      runs++
      await limiter.promise
      return undefined
    },
  }
  const [left, right] = [processWith([task]), processWith([task], { on: other })]
  await left.schedule.start({ alone: false })
  await right.schedule.start({ alone: false })
  const hold = await left.schedule.claim(pool, 'slow')
  assert.ok(hold)
  left.schedule.launch(hold)
  assert.equal(await left.schedule.claim(pool, 'slow'), undefined)
  assert.equal(await right.schedule.claim(other, 'slow'), undefined)
  // A lease outlives several turns as long as there are signs of life.
  await pool`update forge.cron_task set held_until = ${new Date(clock.now().getTime() + 2 * hour)}`
  clock.tick(hour)
  await Promise.all([left.schedule.check(), right.schedule.check()])
  assert.deepEqual(
    [runs, (await rowOf('slow')).exec_times, (await rowOf('slow')).next_at],
    [1, 1, inHours(1)],
  )
  limiter.resolve()
  await left.schedule.idle()
  assert.ok(await right.schedule.claim(other, 'slow'), 'it can be run again')
})

test('signs of life keep a task; without them others take it over, and the first is told', async () => {
  const limiter = held<void>()
  const signals: AbortSignal[] = []
  const task: CronTask = {
    name: 'long',
    summary: 'Is a task of a test.',
    schedule: '@every 1h',
    run: async ({ signal }) => {
      signals.push(signal)
      await limiter.promise
      return 'done'
    },
  }
  const [left, right] = [
    processWith([task], { lease: 30 }),
    processWith([task], { on: other, lease: 300_000 }),
  ]
  await left.schedule.start({ alone: false })
  await right.schedule.start({ alone: false })
  const hold = await left.schedule.claim(pool, 'long')
  assert.ok(hold)
  left.schedule.launch(hold)
  clock.tick(hour / 2)
  const [row] = await until('there is a sign of life', async () => {
    const rows = await pool`select from forge.cron_task where held_until > ${clock.now()}`
    return rows.length > 0 && rows
  })
  assert.ok(row)
  // As if the process had been silent for long; a sign of life may come between the two.
  const taken = await until('the other has taken it over', async () => {
    await pool`update forge.cron_task set held_until = '2000-01-01'`
    return await right.schedule.claim(other, 'long')
  })
  right.schedule.launch(taken)
  await until('the first is told', () => signals[0]?.aborted)
  assert.equal(signals[1]?.aborted, false)
  limiter.resolve()
  await Promise.all([left.schedule.idle(), right.schedule.idle()])
  assert.equal((await rowOf('long')).outcome, 'succeeded')
})

test('a task that fails leaves its words, a line in the log, and its next turn', async () => {
  const { check, go } = processWith([
    {
      name: 'broken',
      summary: 'Is a task of a test.',
      schedule: '@every 1h',
      run: () => {
        throw new Error(`no\0 ${'x'.repeat(2000)}`)
      },
    },
  ])
  await go()
  clock.tick(hour)
  await check()
  const row = await rowOf('broken')
  assert.deepEqual([row.outcome, row.next_at, row.claim], ['failed', inHours(1), null])
  assert.match(row.message, /^no x+$/)
  assert.equal(row.message.length, 1000)
  assert.ok(
    (await linesSoFar()).some(
      ({ level, message, task }) => `${level} ${message} ${task}` === 'error task failed broken',
    ),
  )
  clock.tick(hour)
  await check()
  assert.equal((await rowOf('broken')).exec_times, 2)
})

test('a stop tells tasks to end and waits for them; one that hangs is given up and can be run by others', async () => {
  const seen: string[] = []
  const patient: CronTask = {
    name: 'patient',
    summary: 'Is a task of a test.',
    schedule: '@every 1h',
    run: ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          seen.push('told')
          reject(signal.reason)
        })
      }),
  }
  const limiter = held<undefined>()
  const hanging: CronTask = {
    ...patient,
    name: 'hanging',
    run: () => limiter.promise,
  }
  const { schedule } = processWith([patient, hanging])
  await schedule.start({ alone: false })
  clock.tick(hour)
  await schedule.check()
  await schedule.stop()
  assert.deepEqual(seen, ['told'])
  for (const name of ['patient', 'hanging']) {
    const row = await rowOf(name)
    assert.deepEqual([row.outcome, row.claim, row.next_at], ['interrupted', null, inHours(1)])
  }
  assert.ok(
    !(await linesSoFar()).some(
      ({ level, task }) => level === 'error' && (task === 'patient' || task === 'hanging'),
    ),
  )
  const next = processWith([patient, hanging], { on: other })
  const hold = await next.schedule.claim(other, 'hanging')
  assert.ok(hold)
  limiter.resolve(undefined)
  await schedule.idle()
  assert.notEqual((await rowOf('hanging')).claim, null, 'whoever was given up changes nothing any more')
})

test('nothing begins after a stop, not even what was asked to start before it', async () => {
  const { task, runs } = counting({ runAtStart: true })
  const { schedule } = processWith([task])
  await schedule.stop()
  await schedule.start({ alone: false })
  await schedule.check()
  assert.equal(runs.length, 0)
})

test('what a dead process held is free at once where there can be no other', async () => {
  const { task, runs } = counting()
  const dead = processWith([task])
  assert.ok(await dead.schedule.claim(pool, 'count'))
  const beside = processWith([task])
  await beside.schedule.start({ alone: false })
  assert.equal(await beside.schedule.claim(pool, 'count'), undefined)
  const { schedule } = processWith([task])
  await schedule.start({ alone: true })
  assert.equal((await rowOf('count')).outcome, 'interrupted')
  const hold = await schedule.claim(pool, 'count')
  assert.ok(hold)
  schedule.launch(hold)
  await schedule.idle()
  assert.equal(runs.length, 1)
})

test('tasks of another program are left alone', async () => {
  const later = counting({ name: 'of_a_later_program' })
  const { schedule } = processWith([later.task])
  await schedule.start({ alone: false })
  await schedule.stop()
  const { task } = counting()
  const { go, check } = processWith([task])
  await go()
  clock.tick(hour)
  await check()
  assert.equal(later.runs.length, 0)
})

test('a database that fails is told, and what is due is done when it is back', async () => {
  const { task, runs } = counting()
  const { schedule, go, check } = processWith([task])
  await go()
  clock.tick(hour)
  await pool`alter table forge.cron_task rename to cron_task_away`
  await schedule.check()
  assert.ok((await linesSoFar()).some(({ message }) => message === 'scheduled tasks are delayed'))
  await pool`alter table forge.cron_task_away rename to cron_task`
  await check()
  assert.equal(runs.length, 1)
})

test('a clock that was an hour ahead puts nothing off when it is set back', async () => {
  const { task, runs } = counting({ schedule: '@every 1m' })
  const { schedule, go, check } = processWith([task])
  await go()
  clock.tick(hour)
  await check()
  assert.equal(runs.length, 1)
  clock.tick(-hour)
  await schedule.bringForward()
  clock.tick(60_000)
  await check()
  assert.equal(runs.length, 2)
  // Where the process that had it has died meanwhile, its claim ends as it would have otherwise.
  await pool`update forge.cron_task set claim = gen_random_uuid(), held_until = ${inHours(1)}`
  await schedule.bringForward()
  clock.tick(61_000)
  await check()
  assert.equal(runs.length, 3)
})
