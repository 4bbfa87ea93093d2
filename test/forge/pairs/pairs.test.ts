import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { FINAL_STATUSES } from '../../../src/actions/run/status.ts'
import { openPool } from '../../../src/db/open.ts'
import type { Pool } from '../../../src/db/sql.ts'
import { serveApp } from '../../support/app.ts'
import { onServer, openTestDatabase } from '../../support/database.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { readingPaths } from '../../support/forge/reading.ts'
import { numbersOf } from '../../support/oracle/history.ts'
import { thePull, theTag } from './code.ts'
import { callOf, type Operation, type Prepared, Unprepared } from './operation.ts'
import { forgotten, operations } from './operations.ts'
import { type Scene, scenesOf } from './scene.ts'
import { watchSlots } from './slots.ts'

/**
 * Every operation that ends, renames or gives away something runs side by side with every other one, and every other one
 * with those of its noun, through two processes. The suite takes some of them, always the same. `npm run pairs` takes all of
 * them ten times, or in another order for as long as one likes: `PAIR_SEED=8 PAIR_SECONDS=600 npm run pairs`. With
 * `PAIR_PART=2/16` it takes the second sixteenth of them, with `PAIR_OF='/pulls|transfer'` those of two operations that this
 * regular expression matches.
 */

const {
  PAIR_ROUNDS = 0,
  PAIR_SECONDS = Number.POSITIVE_INFINITY,
  PAIR_SEED = 7,
  PAIR_PART = '1/1',
  PAIR_OF = '',
} = process.env
const rounds = Number(PAIR_ROUNDS)
const [part = 1, parts = 1] = PAIR_PART.split('/').map(Number)
/** What the suite takes of all. */
const sample = { alone: 30, pairs: 25, groups: 6 }
/** Pairs under way at a time. */
const atOnce = 4
/** Longest time by which one of two operations begins later than the other, in milliseconds. */
const latest = 12
const skip = onServer ? false : 'the embedded database has one connection'
const next = numbersOf(Number(PAIR_SEED))

const database = await openTestDatabase()
const dataDir = await temporaryFolder()
const ownPool = database.url === undefined ? database.pool : openPool({ url: database.url, poolSize: 10 })
const slots = watchSlots()
const serve = (pool: Pool) => serveApp({ ...database, pool: slots.watched(pool) }, { DATA_DIR: dataDir })
const [left, right] = [await serve(database.pool), await serve(ownPool)]
slots.start()
after(async () => {
  await Promise.all([left.close(), right.close()])
  if (ownPool !== database.pool) await ownPool.end({ timeout: 5 })
  await database.close()
})
const { pool } = database
const boss = await makersFor(left).admin({ name: 'boss' })
const newScene = scenesOf(left, boss, dataDir)

type Pair = readonly [Operation, Operation]

/** Whether two operations can meet in something that one of them changes. */
function meets(one: Operation, other: Operation): boolean {
  if (one.kind === other.kind) return true
  if (one.kind !== 'structural' && other.kind !== 'structural') return false
  const kinds = [one.kind, other.kind]
  // What jobs and packages have to do with people and teams is decided before anything is changed.
  return !kinds.includes('actions') || one.endsRepository === true || other.endsRepository === true
}

const chosen = operations.filter(({ literal }) => new RegExp(PAIR_OF).test(literal))

const pairs: readonly Pair[] = chosen.flatMap((one, at) =>
  chosen
    .slice(at)
    .filter((other) => meets(one, other))
    .map((other) => [one, other] as const),
)

type Statuses = readonly [number, number]
type Call = () => Promise<{ status: number; body: unknown }>

/** How two operations answer in a scene of their own; undefined if the preparation of one ends what the other needs. */
async function answersOf([one, other]: Pair, run: (calls: readonly Call[]) => Promise<number[]>) {
  const scene = await newScene()
  try {
    const first = (await one.before?.(scene, left.call)) ?? {}
    const second = (await other.before?.(scene, left.call)) ?? {}
    const calls = [() => callOf(left, one, scene, first), () => callOf(right, other, scene, second)]
    const [mine = 0, others = 0] = await run(calls)
    return { scene, statuses: [mine, others] as const, prepared: [first, second] as const }
  } catch (error) {
    if (error instanceof Unprepared && (one.isExclusive || other.isExclusive)) return undefined
    throw new Error(`${one.literal} beside ${other.literal}`, { cause: error })
  }
}

/** Begins one of them a little later than the other. */
function together(calls: readonly Call[]): Promise<number[]> {
  const later = (next() * 2 - 1) * latest
  return Promise.all(
    calls.map(async (call, at) => {
      if (at === 0 ? later < -1 : later > 1) await wait(Math.abs(later))
      const { status, body } = await call()
      if (status >= 500) console.log(status, JSON.stringify(body))
      return status
    }),
  )
}

const inTurn = async ([one, other]: readonly Call[]) => {
  const first = (await one?.())?.status ?? 0
  return [first, (await other?.())?.status ?? 0]
}

/** Pairs of which both were seen to succeed one after the other. */
const known = new Set<Pair>()

/** Whether both succeed one after the other, in either order. */
async function mayBothSucceed(pair: Pair): Promise<boolean> {
  if (known.has(pair) || pair.some(({ hasTwoSteps }) => hasTwoSteps)) return true
  const [one, other] = pair
  for (const order of [pair, [other, one] as const]) {
    const answers = await answersOf(order, inTurn)
    if (!answers?.statuses.every((status) => status < 300)) continue
    known.add(pair)
    return true
  }
  return false
}

/** Whether an operation was acknowledged and the other one refused, but its effect is not there. */
const isLost = async (mine: Operation, scene: Scene, [own, other]: Statuses, prepared: Prepared) =>
  own < 300 && other >= 300 && mine.holds !== undefined && !(await mine.holds(scene, prepared))

/** Runs two operations at the same time; returns what is wrong. */
async function meet(pair: Pair): Promise<string[]> {
  const [one, other] = pair
  const answers = await answersOf(pair, together)
  if (!answers) return []
  const { scene, statuses, prepared } = answers
  const [first, second] = statuses
  const names = `${one.literal} beside ${other.literal}: ${first}, ${second}`
  if (first >= 500 || second >= 500) return [names]
  if (
    (await isLost(one, scene, statuses, prepared[0])) ||
    (await isLost(other, scene, [second, first], prepared[1]))
  )
    return [`${names}, but what was acknowledged is not there`]
  const both = first < 300 && second < 300
  return both && !(await mayBothSucceed(pair)) ? [`${names}, but only one of them succeeds in turn`] : []
}

/** Runs work for items in a random order, some at a time; for `count` of them, or for all as often as there are rounds. */
async function faultsOf<Item>(
  items: readonly Item[],
  count: number,
  work: (item: Item) => Promise<string[]>,
): Promise<string[]> {
  const end = performance.now() + Number(PAIR_SECONDS) * 1000
  const own = items.filter((_, at) => at % parts === part - 1)
  const queue: Item[] =
    rounds === 0 ? shuffled(own).slice(0, count) : Array.from({ length: rounds }, () => shuffled(own)).flat()
  const faults: string[] = []
  let tried = 0
  const runner = async () => {
    while (performance.now() < end) {
      const item = queue.pop()
      if (item === undefined) return
      tried++
      const found = await work(item).catch((error: Error) => [`${error.message}: ${error.cause}`])
      if (rounds > 0) for (const fault of found) console.log(fault)
      faults.push(...found)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, runner))
  if (rounds > 0) console.log(`${tried} of ${own.length} in ${rounds} rounds`)
  return faults
}

/** The same items in another order (Fisher and Yates). */
function shuffled<Item>(items: readonly Item[]): Item[] {
  const rest = [...items]
  return Array.from(items, () => rest.splice(Math.floor(next() * rest.length), 1)).flat()
}

test('every changing operation of the forge has a preparation here, or a reason why it needs none', () => {
  assert.deepEqual(forgotten(left.app.routes), [])
})

test('each operation succeeds alone', { skip }, async () => {
  const faults = await faultsOf(operations, sample.alone, async (operation) => {
    const scene = await newScene()
    const prepared = (await operation.before?.(scene, left.call)) ?? {}
    const { status, body } = await callOf(left, operation, scene, prepared)
    const isDone = status < 300 && (await operation.holds?.(scene, prepared)) !== false
    return isDone ? [] : [`${operation.literal}: ${status} ${JSON.stringify(body)}`]
  })
  assert.deepEqual(faults, [])
})

test('two operations at once give no 5xx and lose nothing that was acknowledged', { skip }, async () => {
  assert.deepEqual(await faultsOf(pairs, sample.pairs, meet), [])
})

test('whatever reads a repository that is deleted, renamed or given away meanwhile gets no 5xx', {
  skip,
}, async () => {
  const readers = readingPaths(left.app.routes, { owner: '{owner}', repo: 'code' }, { filepath: 'README.md' })
  const perScene = 12
  const groups = Array.from({ length: Math.ceil(readers.length / perScene) }, (_, at) =>
    readers.slice(at * perScene, (at + 1) * perScene),
  )
  const ends = operations.filter(({ endsRepository }) => endsRepository)
  const meetings = ends.flatMap((end) => groups.map((group) => ({ end, group })))
  const meetReaders = async ({ end, group }: (typeof meetings)[number]) => {
    const scene = await newScene()
    const prepared = (await end.before?.(scene, left.call)) ?? {}
    await thePull(scene, left.call)
    await theTag(scene, left.call)
    const ask = async (path: string) => {
      await wait(next() * latest)
      const address = right.url + path.replace('{owner}', scene.guild)
      const answer = await fetch(address, {
        headers: { authorization: scene.eve.authorization },
        redirect: 'manual',
      })
      await answer.arrayBuffer()
      return answer.status < 500 ? [] : [`${path} beside ${end.literal}: ${answer.status}`]
    }
    const ending = callOf(left, end, scene, prepared)
    const faults = (await Promise.all(group.map(ask))).flat()
    assert.ok((await ending).status < 300)
    return faults
  }
  assert.deepEqual(await faultsOf(meetings, sample.groups, meetReaders), [])
})

test('nobody waits inside of a transaction for work that may wait for a connection', { skip }, () => {
  assert.deepEqual(slots.faults(), [])
})

test('after all pairs rows and directories match, every organization has an owner, and runs are as their jobs', {
  skip,
}, async () => {
  const rows = await pool<{ state: string; folder_owner: string; folder_name: string }[]>`
    select state, folder_owner, folder_name from forge.repository`
  const wrong = rows.filter(
    ({ state, folder_owner, folder_name }) =>
      state !== 'ready' || !existsSync(join(dataDir, 'repositories', folder_owner, `${folder_name}.git`)),
  )
  assert.deepEqual([...wrong], [])
  const ownerless = await pool`
    select name from forge.account
    where kind = 'organization' and not exists (
      select from forge.team
      join forge.team_member on team_member.team_id = team.id
      where team.organization_id = account.id and team.permission = 'owner'
    )`
  assert.deepEqual([...ownerless], [])
  const contradictory = await pool`
    select run.id, run.status, array_agg(job.status) as jobs
    from forge.action_run as run
    join forge.action_job as job on job.run_id = run.id and job.attempt = run.attempt
    group by run.id
    having run.status = any(${FINAL_STATUSES}) <> bool_and(job.status = any(${FINAL_STATUSES}))`
  assert.deepEqual([...contradictory], [])
  const abandoned = await pool`
    select job.id
    from forge.action_task as task
    join forge.action_job as job on job.id = task.job_id
    join forge.action_runner as runner on runner.id = task.runner_id
    where runner.deleted_at is not null and job.status <> all(${FINAL_STATUSES})`
  assert.deepEqual([...abandoned], [])
  const errors = [...left.log.lines(), ...right.log.lines()].filter(({ level }) => level === 'error')
  assert.deepEqual(errors, [])
})
