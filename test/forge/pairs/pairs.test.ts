import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { FINAL_STATUSES } from '../../../src/actions/run/status.ts'
import { openPool } from '../../../src/db/open.ts'
import { serveApp } from '../../support/app.ts'
import { onServer, openTestDatabase } from '../../support/database.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { operations } from './operations.ts'
import { callOf, type Operation, type Prepared, type Scene, scenesOf, Unprepared } from './scene.ts'

/**
 * Every operation that ends, renames or gives away something runs side by side with every other one, through two
 * processes. `PAIR_ROUNDS` sets how often.
 */

const rounds = Number(process.env.PAIR_ROUNDS ?? 1)
/** Pairs under way at a time. */
const atOnce = 4
const skip = onServer ? false : 'the embedded database has one connection'

const database = await openTestDatabase()
const dataDir = await temporaryFolder()
const ownPool = database.url === undefined ? database.pool : openPool({ url: database.url, poolSize: 10 })
const left = await serveApp(database, { DATA_DIR: dataDir })
const right = await serveApp({ ...database, pool: ownPool }, { DATA_DIR: dataDir })
after(async () => {
  await Promise.all([left.close(), right.close()])
  if (ownPool !== database.pool) await ownPool.end({ timeout: 5 })
  await database.close()
})
const { pool } = database
const boss = await makersFor(left).admin({ name: 'boss' })
const newScene = scenesOf([left, right], boss)

type Pair = readonly [Operation, Operation]

/** Whether two operations can meet in something that one of them changes. */
function meets(one: Operation, other: Operation): boolean {
  if (one.kind === 'actions' && other.kind === 'actions') return true
  if (one.kind !== 'structural' && other.kind !== 'structural') return false
  if (one.kind !== 'actions' && other.kind !== 'actions') return true
  return one.endsRepository === true || other.endsRepository === true
}

type Statuses = readonly [number, number]

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
    if (error instanceof Unprepared) return undefined
    throw error
  }
}

type Call = () => Promise<{ status: number }>
const together = (calls: readonly Call[]) => Promise.all(calls.map(async (call) => (await call()).status))
const inTurn = async ([one, other]: readonly Call[]) => {
  const first = (await one?.())?.status ?? 0
  return [first, (await other?.())?.status ?? 0]
}

/** Whether both succeed one after the other, in either order. */
async function mayBothSucceed([one, other]: Pair): Promise<boolean> {
  for (const order of [[one, other] as const, [other, one] as const]) {
    const answers = await answersOf(order, inTurn)
    if (answers?.statuses.every((status) => status < 300)) return true
  }
  return false
}

/** Whether an operation was acknowledged and the other one refused, but its effect is not there. */
const isLost = async (mine: Operation, scene: Scene, [own, other]: Statuses, prepared: Prepared) =>
  own < 300 && other >= 300 && mine.holds !== undefined && !(await mine.holds(scene, pool, prepared))

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

/** Runs work for each item, some at a time. */
async function forEach<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<string[]>,
): Promise<string[]> {
  const queue = [...items]
  const faults: string[] = []
  const runner = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift())
      faults.push(...(await work(item)))
  }
  await Promise.all(Array.from({ length: atOnce }, runner))
  return faults
}

test('each operation succeeds alone', { skip }, async () => {
  const faults = await forEach(operations, async (operation) => {
    const scene = await newScene()
    const prepared = (await operation.before?.(scene, left.call)) ?? {}
    const { status, body } = await callOf(left, operation, scene, prepared)
    const isDone = status < 300 && (await operation.holds?.(scene, pool, prepared)) !== false
    return isDone ? [] : [`${operation.literal}: ${status} ${JSON.stringify(body)}`]
  })
  assert.deepEqual(faults, [])
})

test('two operations at once give no 5xx and lose nothing that was acknowledged', { skip }, async () => {
  const pairs = operations.flatMap((one, at) =>
    operations
      .slice(at)
      .filter((other) => meets(one, other))
      .map((other) => [one, other] as const),
  )
  for (let round = 0; round < rounds; round++) assert.deepEqual(await forEach(pairs, meet), [])
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
