import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOutbox } from '../../src/background/outbox.ts'
import { openPool } from '../../src/db/open.ts'
import { notifyProcesses } from '../../src/db/outbox-events.ts'
import { createLog } from '../../src/log.ts'
import { onServer, openTestDatabase } from '../support/database.ts'
import { openProxy } from '../support/proxy.ts'
import { keepLines } from '../support/sink.ts'
import { turns, until } from '../support/wait.ts'

test('an outbox that could not listen at first does so once its database is back, and only once', {
  skip: !onServer && 'the embedded database notifies nobody',
}, async (t) => {
  const database = await openTestDatabase(1)
  const proxy = await openProxy(database.url ?? '')
  const pool = openPool({ url: proxy.url, poolSize: 1 })
  t.after(async () => {
    await pool.end({ timeout: 1 })
    await proxy.close()
    await database.close()
  })
  await proxy.cut()
  const sink = keepLines()
  let looks = 0
  const spread = () => void looks++
  const log = createLog('warn', sink)
  const parts = { pool, clock: () => new Date(), log, consumers: [], onDispatched: spread, listens: true }
  const running = createOutbox(parts, 1e9).start()
  const hasSaid = (what: string) => sink.lines().some(({ message }) => message === what)
  await until('it cannot listen', () => hasSaid('cannot listen for events yet'))
  await proxy.mend()
  await until('it listens and looks', () => looks > 0)
  const before = looks
  await notifyProcesses(database.pool)
  await until('it has heard of an event', () => looks > before)
  const [listeners] = await database.pool<{ count: number }[]>`
    select count(*) from pg_stat_activity where query ilike 'listen%' and datname = current_database()`
  assert.equal(listeners?.count, 1)
  await running.stop()
})

test('an outage is said once, however many commits wake the outbox meanwhile, and so is the next one', async (t) => {
  const database = await openTestDatabase(1)
  const sink = keepLines()
  let isAway = true
  let dispatched = 0
  const clock = () => {
    if (isAway) throw new Error('the database is away')
    return new Date()
  }
  const onDispatched = () => void dispatched++
  const log = createLog('warn', sink)
  const parts = { pool: database.pool, clock, log, consumers: [], onDispatched, listens: false }
  const outbox = createOutbox(parts, 1e9)
  const running = outbox.start()
  t.after(async () => {
    await running.stop()
    await database.close()
  })
  const outage = async () => {
    isAway = true
    for (let round = 0; round < 3; round++) {
      await turns()
      for (let commit = 0; commit < 20; commit++) outbox.wake()
    }
    await turns()
    return sink.lines().filter(({ message }) => message === 'background task failed').length
  }
  assert.equal(await outage(), 1)
  isAway = false
  outbox.wake()
  await until('it works again', () => dispatched > 0)
  await turns()
  assert.equal(await outage(), 2)
})
