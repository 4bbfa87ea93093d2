import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { DatabaseLimiter } from '../../../src/http/reads/database-limiter.ts'
import { Problem } from '../../../src/http/route/problem.ts'
import { held, turns } from '../../support/wait.ts'

/** A long time: no test waits for it. */
const patient = 60_000

const unavailable = (message: string) => (error: unknown) => {
  assert.ok(error instanceof Problem)
  assert.equal(error.status, 503)
  assert.equal(error.message, message)
  assert.equal(error.extra.headers?.['Retry-After'], '1')
  assert.ok(error.extra.log)
  return true
}

// The timer of a limiter keeps no process alive; a test that waits for it has to.
const alive = setInterval(() => {}, 1000)
after(() => clearInterval(alive))

test('a run passes and gives its result', async () => {
  assert.equal(await new DatabaseLimiter(1, patient).run(async () => 'well'), 'well')
})

test('a run that fails fails its caller and gives its place back', async () => {
  const limiter = new DatabaseLimiter(1, patient)
  await assert.rejects(
    limiter.run(() => Promise.reject(new Error('lost'))),
    /lost/,
  )
  assert.equal(await limiter.run(async () => 'well'), 'well')
})

test('without a free slot callers get 503 with Retry-After, and a released slot is free', async () => {
  const limiter = new DatabaseLimiter(2, patient)
  const runs = [held<string>(), held<string>()]
  const passing = runs.map((run) => limiter.run(() => run.promise))
  await assert.rejects(
    limiter.run(async () => assert.fail('must not run')),
    unavailable('the server is busy'),
  )
  runs[0]?.resolve('one')
  assert.equal(await passing[0], 'one')
  assert.equal(await limiter.run(async () => 'three'), 'three')
  runs[1]?.resolve('two')
  assert.equal(await passing[1], 'two')
})

test('one client gets half of the places, and the server itself and others the rest', async () => {
  const limiter = new DatabaseLimiter(4, patient)
  const run = held<string>()
  const passing = [limiter.run(() => run.promise, 'a'), limiter.run(() => run.promise, 'a')]
  await assert.rejects(
    limiter.run(async () => assert.fail('must not run'), 'a'),
    unavailable('the server is busy'),
  )
  assert.equal(await limiter.run(async () => 'well', 'b'), 'well')
  assert.equal(await limiter.run(async () => 'well'), 'well')
  run.resolve('done')
  await Promise.all(passing)
  assert.equal(await limiter.run(async () => 'well', 'a'), 'well')
})

test('a closed limiter rejects runs until it is opened; runs in progress continue', async () => {
  const limiter = new DatabaseLimiter(2, patient)
  const inside = held<string>()
  const passing = limiter.run(() => inside.promise)
  limiter.close()
  await assert.rejects(
    limiter.run(async () => assert.fail('must not run')),
    { status: 503, message: 'the database is away' },
  )
  limiter.close('the server is starting')
  await assert.rejects(
    limiter.run(async () => assert.fail('must not run')),
    { status: 503, message: 'the server is starting' },
  )
  inside.resolve('inside')
  assert.equal(await passing, 'inside')
  limiter.open()
  assert.equal(await limiter.run(async () => 'well'), 'well')
})

test('a run that takes too long is answered 503 and keeps its place until it ends', async () => {
  const limiter = new DatabaseLimiter(1, 1)
  const slow = held<string>()
  await assert.rejects(
    limiter.run(() => slow.promise),
    unavailable('the answer takes too long'),
  )
  await assert.rejects(
    limiter.run(async () => ''),
    unavailable('the server is busy'),
  )
  slow.resolve('too late')
  await turns()
  assert.equal(await limiter.run(async () => 'well'), 'well')
})

test('a run that fails after its time limit has no further effect', async () => {
  const limiter = new DatabaseLimiter(1, 1)
  const slow = held<string>()
  await assert.rejects(limiter.run(() => slow.promise))
  slow.reject(new Error('too late'))
  await turns()
  assert.equal(await limiter.run(async () => 'well'), 'well')
})
