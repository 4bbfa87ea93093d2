import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Flights } from '../../src/http/flight.ts'
import { type Held, held, turns } from '../support/wait.ts'

/** Runs that take off when the flights say so, and land when the test says so. */
function hangar() {
  const flown: Held<string>[] = []
  const run = () => {
    const flight = held<string>()
    flown.push(flight)
    return flight.promise
  }
  return { flown, run, flights: new Flights<string>() }
}

test('those who wait at the same time share one run', async () => {
  const { flown, run, flights } = hangar()
  const answers = Promise.all([1, 2, 3].map(() => flights.board('key', run)))
  await turns()
  assert.equal(flown.length, 1)
  flown[0]?.resolve('one')
  assert.deepEqual(await answers, ['one', 'one', 'one'])
})

test('who arrives after a run started gets another, which starts when that has landed', async () => {
  const { flown, run, flights } = hangar()
  const early = flights.board('key', run)
  await turns()
  const late = [flights.board('key', run), flights.board('key', run)]
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
  const { flown, run, flights } = hangar()
  const keys = ['a', 'b', 'c', 'd'].map((key) => flights.board(key, run))
  await turns()
  assert.equal(flown.length, 4)
  for (const [at, flight] of flown.entries()) flight.resolve(String(at))
  assert.deepEqual(await Promise.all(keys), ['0', '1', '2', '3'])
})

test('a failure belongs to its passengers; the next run is a new one', async () => {
  const { flown, run, flights } = hangar()
  const failed = Promise.allSettled([flights.board('key', run), flights.board('key', run)])
  await turns()
  const next = flights.board('key', run)
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
  const flights = new Flights<string>()
  const thrower = () => {
    throw new Error('at once')
  }
  await assert.rejects(flights.board('key', thrower), /at once/)
  assert.equal(await flights.board('key', async () => 'well'), 'well')
})

test('those whose turn is over gather as others do', async () => {
  const { flown, run, flights } = hangar()
  const both = [flights.board('key', run, 1), flights.board('key', run, 2)]
  await null
  assert.equal(flown.length, 0)
  await turns()
  assert.equal(flown.length, 1)
  const late = flights.board('key', run, 2)
  flown[0]?.resolve('first')
  assert.deepEqual(await Promise.all(both), ['first', 'first'])
  await turns()
  flown[1]?.resolve('second')
  assert.equal(await late, 'second')
})

test('who comes back while the replies of a run are written waits for the others of it', async () => {
  const { flown, run, flights } = hangar()
  const first = flights.board('key', run)
  await turns()
  flown[0]?.resolve('first')
  await first
  const back = [flights.board('key', run)]
  await new Promise(setImmediate)
  assert.equal(flown.length, 1)
  back.push(flights.board('key', run))
  await turns()
  assert.equal(flown.length, 2)
  flown[1]?.resolve('second')
  assert.deepEqual(await Promise.all(back), ['second', 'second'])
})

test('nobody is left behind under many arrivals and landings', async () => {
  const flights = new Flights<number>()
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
      const mine = await flights.board(`key ${at % 2}`, run)
      assert.ok(mine > before, 'only a run that starts after the arrival')
      return mine
    }),
  )
  assert.equal(answers.length, 2000)
})
