import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EvaluationDeps } from '../../../src/actions/trigger/evaluation.ts'
import {
  claimTriggers,
  deleteTrigger,
  extendClaims,
  insertTriggers,
  releaseTrigger,
} from '../../../src/actions/trigger/trigger-store.ts'
import { createTriggerWorker } from '../../../src/actions/trigger/worker.ts'
import { lease } from '../../../src/background/claim.ts'
import { beginOn } from '../../../src/db/begin.ts'
import { openPool } from '../../../src/db/open.ts'
import { createLog } from '../../../src/log.ts'
import { onServer } from '../../support/database.ts'
import { settled, startForge, startRepository } from '../../support/forge/workflows.ts'
import { openProxy } from '../../support/proxy.ts'
import { held, until } from '../../support/wait.ts'

const forge = await startForge()
const { pool, clock } = forge
const repo = await startRepository(forge, 'claims')
const commit = await repo.push({
  '.gitea/workflows/a.yml':
    'on: {schedule: [{cron: "0 0 1 1 *"}]}\njobs: {a: {runs-on: x, steps: [{run: echo}]}}',
})
await settled(forge)
// From here on there is nobody to look at triggers but the tests.
await forge.background.stop()

/** Queues what a schedule would. */
async function queue(): Promise<void> {
  const payload = { workflow: 'a.yml', schedule: '0 0 1 1 *' }
  const facts = {
    repository_id: repo.id,
    kind: 'schedule',
    ref: 'refs/heads/main',
    before: null,
    after: commit,
  }
  await insertTriggers(pool, [{ ...facts, actor_id: null, by_bot: true, payload }], clock.now())
}

async function claim(now = clock.now()) {
  return [...(await claimTriggers(pool, { limit: 1, now, until: new Date(now.getTime() + lease) }))]
}

/** A process that looks at something queued; its looks take until `described` settles. */
async function looking(leaseHere = lease, on = pool) {
  const described = held<undefined>()
  const begun = { looks: 0 }
  const describe = () => {
    begun.looks++
    return described.promise
  }
  await queue()
  const worker = workerWith(describe, leaseHere, on)
  await until('it is looked at', () => begun.looks === 1)
  return { worker, described, begun }
}

const needsApproval = async () => false

function workerWith(describe: EvaluationDeps['describe'], leaseHere: number, on: typeof pool) {
  const { planner, gitService, root } = forge.app.tools
  const log = createLog('info', forge.log)
  const parts = {
    sql: on,
    begin: beginOn(on, clock.now),
    clock: clock.now,
    log,
    planner,
    root,
    describe,
    needsApproval,
  }
  return createTriggerWorker({ ...parts, source: gitService }, { poll: 20, lease: leaseHere }).start()
}

async function onlyTrigger() {
  const rows = await pool<{ claim: string | null; due_at: string; failures: number }[]>`
    select claim, due_at, failures from forge.action_trigger`
  assert.equal(rows.length, 1)
  return rows[0]
}
const countRuns = async () => (await pool`select from forge.action_run`).length

test('another process claims a trigger after a minute without a heartbeat, and the first one can no longer change it', async () => {
  await queue()
  const began = clock.now()
  const later = (milliseconds: number) => new Date(began.getTime() + milliseconds)
  const [taken] = await claim()
  assert.ok(taken)
  assert.deepEqual(await claim(later(59_999)), [])
  const [moved] = await claim(later(60_000))
  assert.equal(moved?.id, taken.id)
  await extendClaims(pool, [taken], later(3_600_000))
  await releaseTrigger(pool, taken, began)
  assert.deepEqual([await claim(later(119_999)), await deleteTrigger(pool, taken)], [[], false])
  assert.equal(await deleteTrigger(pool, moved), true)
})

test('an evaluation that takes longer stays with its process, which sends heartbeats', async () => {
  const { worker, described, begun } = await looking(90)
  for (let beat = 0; beat < 3; beat++) {
    clock.tick(60)
    const due = clock.now().getTime() + 90
    await until('a sign of life', async () => Date.parse((await onlyTrigger())?.due_at ?? '') === due)
  }
  assert.deepEqual(await claim(), [])
  const before = await countRuns()
  described.resolve(undefined)
  await until('it is done', async () => (await pool`select from forge.action_trigger`).length === 0)
  await worker.stop()
  assert.deepEqual([begun.looks, (await countRuns()) - before], [1, 1])
})

test('an evaluation that a stop interrupts is no failure: the trigger is due at once', async () => {
  const { worker, described } = await looking()
  const stopped = worker.stop()
  described.reject(new Error('git is ended with the server'))
  await stopped
  const due_at = clock.now().toISOString()
  assert.deepEqual(await onlyTrigger(), { claim: null, due_at, failures: 0 })
  assert.equal((await claim()).length, 1)
})

test('an evaluation that loses the database is no failure: the trigger is due when it is back', {
  skip: !onServer,
}, async () => {
  await pool`delete from forge.action_trigger`
  const line = await openProxy(forge.database.url ?? '')
  const cutOff = openPool({ url: line.url, poolSize: 2 })
  const before = await countRuns()
  const { worker, described, begun } = await looking(lease, cutOff)
  await line.cut()
  described.resolve(undefined)
  await until('it is noticed', () => forge.log.lines().some(({ task }) => task === 'start workflows'))
  await line.mend()
  await until('it is done', async () => (await pool`select from forge.action_trigger`).length === 0)
  await worker.stop()
  await Promise.all([cutOff.end({ timeout: 1 }), line.close()])
  assert.deepEqual([begun.looks, (await countRuns()) - before], [2, 1])
})
