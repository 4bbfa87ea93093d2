import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { beginOn } from '../../src/db/begin.ts'
import { wakeChannel } from '../../src/db/outbox-events.ts'
import { stoppedClock } from '../support/clock.ts'
import { onServer, openTestDatabase } from '../support/database.ts'

const database = await openTestDatabase()
const { pool } = database
after(() => database.close())

const clock = stoppedClock()
let woken = 0
const begin = beginOn(pool, clock.now, { onEmitted: () => woken++ })

interface Row {
  kind: string
  payload: string
  created_at: string
}

const takeEvents = async () => [
  ...(await pool<Row[]>`
    delete from forge.event
    returning kind, payload::text as payload, created_at`),
]

test('emit writes an event with the commit, at the moment of the transaction, in the order of its keys', async () => {
  const before = woken
  await begin(async (tx) => {
    await tx.emitAll([{ kind: 'push', payload: { zebra: 1, ape: ['é', null, undefined], left: undefined } }])
    assert.equal(woken, before, 'nobody is woken before the commit')
  })
  assert.equal(woken, before + 1)
  assert.deepEqual(await takeEvents(), [
    { kind: 'push', payload: '{"zebra":1,"ape":["é",null,null]}', created_at: clock.now().toISOString() },
  ])
})

test('events of one statement stand in their order, and wake once', async () => {
  const before = woken
  await begin(async (tx) => {
    await tx.emitAll([])
    const kinds = Array.from({ length: 30 }, (_, at) => ({
      kind: `k${at}`,
      payload: { at, text: 'a "b", {c} \\ é' },
    }))
    await tx.emitAll(kinds)
  })
  assert.equal(woken, before + 1)
  const events = await pool<{ kind: string; payload: object }[]>`
    select kind, payload
    from forge.event
    order by id`
  assert.deepEqual(
    events.map(({ kind }) => kind),
    Array.from({ length: 30 }, (_, at) => `k${at}`),
  )
  assert.deepEqual(events[7]?.payload, { at: 7, text: 'a "b", {c} \\ é' })
  await takeEvents()
})

test('a rollback emits no event, wakes no worker and calls no callback', async () => {
  const before = woken
  const failing = begin(async (tx) => {
    await tx.emitAll([{ kind: 'push', payload: {} }])
    tx.afterCommit(() => woken++)
    throw new Error('changed my mind')
  })
  await assert.rejects(failing, /changed my mind/)
  assert.deepEqual(await takeEvents(), [])
  assert.equal(woken, before)
})

test('work that is run again after a serialization failure emits once', async () => {
  let runs = 0
  const called: number[] = []
  await begin(async (tx) => {
    const run = ++runs
    await tx.emitAll([{ kind: 'push', payload: { run } }])
    tx.afterCommit(() => called.push(run))
    if (run === 1) await tx`do $$ begin raise sqlstate '40001'; end $$`
  })
  assert.deepEqual(
    (await takeEvents()).map(({ payload }) => payload),
    ['{"run":2}'],
  )
  assert.deepEqual(called, [2])
})

test('what fails after the commit is a warning and stops nothing else', async () => {
  const warned = once(process, 'warning')
  const called: string[] = []
  const result = await begin(async (tx) => {
    tx.afterCommit(() => {
      throw new Error('too late to matter')
    })
    tx.afterCommit(() => called.push('second'))
    return 'done'
  })
  assert.equal(result, 'done')
  assert.deepEqual(called, ['second'])
  const [warning] = await warned
  assert.match(String(warning), /too late to matter/)
})

test('a commit with an event notifies other connections', { skip: !onServer }, async () => {
  let heard = () => {}
  const hearing = new Promise<void>((resolve) => {
    heard = resolve
  })
  const listening = await pool.listen(wakeChannel, () => heard())
  await begin((tx) => tx.emitAll([{ kind: 'push', payload: {} }]))
  await hearing
  await listening.unlisten()
  await takeEvents()
})
