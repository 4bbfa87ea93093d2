import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestCoalescer } from '../../../src/http/reads/coalescer.ts'
import { type Held, held, turns } from '../../support/wait.ts'

/** Runs that take off when the flights say so, and land when the test says so. */
function hangar() {
  const flown: Held<string>[] = []
  const run = () => {
    const flight = held<string>()
    flown.push(flight)
    return flight.promise
  }
  return { flown, run, coalescer: new RequestCoalescer<string>() }
}

test('those who wait at the same time share one run', async () => {
  const { flown, run, coalescer } = hangar()
  const answers = Promise.all([1, 2, 3].map(() => coalescer.join('key', run)))
  await turns()
  assert.equal(flown.length, 1)
  flown[0]?.resolve('one')
  assert.deepEqual(await answers, ['one', 'one', 'one'])
})

test('who arrives after a run started gets another, which starts when that has landed', async () => {
  const { flown, run, coalescer } = hangar()
  const early = coalescer.join('key', run)
  await turns()
  const late = [coalescer.join('key', run), coalescer.join('key', run)]
  await turns()
  assert.equal(flown.length, 1)
  flown[0]?.resolve('first')
  assert.equal(await early, 'first')
  await turns()
  assert.equal(flown.length, 2)
  flown[1]?.resolve('second')
  assert.deepEqual(await Promise.all(late), ['second', 'second'])
})

test('runs of other keys are not waited for', async () => {
  const { flown, run, coalescer } = hangar()
  const keys = ['a', 'b', 'c', 'd'].map((key) => coalescer.join(key, run))
  await turns()
  assert.equal(flown.length, 4)
  for (const [at, flight] of flown.entries()) flight.resolve(String(at))
  assert.deepEqual(await Promise.all(keys), ['0', '1', '2', '3'])
})

test('a failure belongs to its passengers; the next run is a new one', async () => {
  const { flown, run, coalescer } = hangar()
  const failed = Promise.allSettled([coalescer.join('key', run), coalescer.join('key', run)])
  await turns()
  const next = coalescer.join('key', run)
  await turns()
  flown[0]?.reject(new Error('lost'))
  for (const each of await failed) {
    assert.equal(each.status === 'rejected' && each.reason.message, 'lost')
  }
  await turns()
  flown[1]?.resolve('well')
  assert.equal(await next, 'well')
})

test('a run that throws at once fails its passengers and no more', async () => {
  const coalescer = new RequestCoalescer<string>()
  const thrower = () => {
    throw new Error('at once')
  }
  await assert.rejects(coalescer.join('key', thrower), /at once/)
  assert.equal(await coalescer.join('key', async () => 'well'), 'well')
})

test('a caller that returns while the results of a run are delivered waits for the other callers', async () => {
  const { flown, run, coalescer } = hangar()
  const first = coalescer.join('key', run)
  await turns()
  flown[0]?.resolve('first')
  await first
  const back = [coalescer.join('key', run)]
  await new Promise(setImmediate)
  assert.equal(flown.length, 1)
  back.push(coalescer.join('key', run))
  await turns()
  assert.equal(flown.length, 2)
  flown[1]?.resolve('second')
  assert.deepEqual(await Promise.all(back), ['second', 'second'])
})

test('every caller gets a result under many concurrent joins and runs', async () => {
  const coalescer = new RequestCoalescer<number>()
  let started = 0
  const run = async () => {
    const mine = ++started
    await turns(mine % 3)
    return mine
  }
  const answers = await Promise.all(
    Array.from({ length: 2000 }, async (_, at) => {
      await turns(at % 50)
      const before = started
      const mine = await coalescer.join(`key ${at % 2}`, run)
      assert.ok(mine > before, 'only a run that starts after the arrival')
      return mine
    }),
  )
  assert.equal(answers.length, 2000)
})
