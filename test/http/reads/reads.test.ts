import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseLimiter } from '../../../src/http/reads/database-limiter.ts'
import { CoalescedReads } from '../../../src/http/reads/reads.ts'
import { ValidatedCache } from '../../../src/http/reads/validated-cache.ts'
import { type Held, held, turns } from '../../support/wait.ts'

interface Row {
  text: string
}

/** Reads of one key over a database whose state has to be asked for; runs end when the test says so. */
function library({ places = 10, holds = true } = {}) {
  const at = { state: 'a', asked: 0 }
  const runs: Held<Row>[] = []
  const ask = async () => {
    at.asked++
    return at.state
  }
  const run = () => {
    const one = held<Row>()
    runs.push(one)
    return one.promise
  }
  const reads = new CoalescedReads<Row>(
    new DatabaseLimiter(places, 1000),
    new ValidatedCache({ remote: ask }, () => 1),
  )
  const take = async (seen?: string) =>
    (await reads.get({ key: 'key', run, cacheable: holds }, { observedVersion: seen })).text
  return { at, runs, take }
}

test('who has seen the state asks for nothing, whether the answer holds or not', async () => {
  const { at, runs, take } = library()
  const first = take('a')
  await turns()
  runs[0]?.resolve({ text: 'read in a' })
  assert.equal(await first, 'read in a')
  assert.equal(await take('a'), 'read in a')
  assert.deepEqual([at.asked, runs.length], [0, 1])
  const next = take('b')
  await turns()
  runs[1]?.resolve({ text: 'read in b' })
  assert.equal(await next, 'read in b')
  assert.equal(at.asked, 0)
})

test('who has seen a newer state than the first who waits for a run gets nothing older', async () => {
  const { runs, take } = library()
  const flying = take('a')
  await turns()
  const waiting = take('a')
  runs[0]?.resolve({ text: 'read in a' })
  assert.equal(await flying, 'read in a')
  const late = take('b')
  await turns()
  runs[1]?.resolve({ text: 'read in b' })
  assert.deepEqual(await Promise.all([waiting, late]), ['read in b', 'read in b'])
})

test('a read that is not cacheable runs each time, without a query for the version', async () => {
  const { at, runs, take } = library({ holds: false })
  for (const text of ['one', 'two']) {
    const taken = take()
    await turns()
    runs.at(-1)?.resolve({ text })
    assert.equal(await taken, text)
  }
  assert.deepEqual([at.asked, runs.length], [0, 2])
})

test('a run needs a place in the limiter, an answer that holds needs none', async () => {
  const { runs, take } = library({ places: 1 })
  const first = take('a')
  await turns()
  runs[0]?.resolve({ text: 'read in a' })
  await first
  const flying = take('b')
  await turns()
  assert.equal(await take('a'), 'read in a')
  runs[1]?.resolve({ text: 'read in b' })
  await flying
})
