import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createSemaphore } from '../../../src/forge/auth/semaphore.ts'

/** Works that end when told: `started` lists them in the order in which they began. */
function controlled() {
  const started: string[] = []
  const ends = new Map<string, (error?: Error) => void>()
  const work = (name: string) => () =>
    new Promise<string>((resolve, reject) => {
      started.push(name)
      ends.set(name, (error) => (error ? reject(error) : resolve(name)))
    })
  const end = async (name: string, error?: Error) => {
    ends.get(name)?.(error)
    await setImmediate()
  }
  return { started, work, end }
}

test('run() starts as many works as allowed, no more', async () => {
  const semaphore = createSemaphore({ atOnce: 2, waiting: 5 })
  const { started, work, end } = controlled()
  const all = ['a', 'b', 'c'].map((name) => semaphore.run(work(name)))
  await setImmediate()
  assert.deepEqual(started, ['a', 'b'])
  await end('b')
  assert.deepEqual(started, ['a', 'b', 'c'])
  await end('a')
  await end('c')
  assert.deepEqual(await Promise.all(all), ['a', 'b', 'c'])
})

test('run() lets the waiting in by order of arrival', async () => {
  const semaphore = createSemaphore({ atOnce: 1, waiting: 5 })
  const { started, work, end } = controlled()
  const all = ['a', 'b', 'c', 'd'].map((name) => semaphore.run(work(name)))
  for (const name of ['a', 'b', 'c', 'd']) await end(name)
  assert.deepEqual(started, ['a', 'b', 'c', 'd'])
  await Promise.all(all)
})

test('run() answers undefined when the waiting room is full, and does not start the work', async () => {
  const semaphore = createSemaphore({ atOnce: 1, waiting: 1 })
  const { started, work, end } = controlled()
  const all = [semaphore.run(work('a')), semaphore.run(work('b'))]
  assert.equal(await semaphore.run(work('c')), undefined)
  await end('a')
  await end('b')
  await Promise.all(all)
  assert.deepEqual(started, ['a', 'b'])
})

test('run() admits again when the room has emptied', async () => {
  const semaphore = createSemaphore({ atOnce: 1, waiting: 0 })
  const { work, end } = controlled()
  const first = semaphore.run(work('a'))
  assert.equal(await semaphore.run(work('b')), undefined)
  await end('a')
  await first
  const third = semaphore.run(work('c'))
  await end('c')
  assert.equal(await third, 'c')
})

test('run() passes a rejection on and frees the place', async () => {
  const semaphore = createSemaphore({ atOnce: 1, waiting: 1 })
  const { work, end } = controlled()
  const first = semaphore.run(work('a'))
  const second = semaphore.run(work('b'))
  const refused = assert.rejects(async () => first, /broken/)
  await end('a', new Error('broken'))
  await refused
  await end('b')
  assert.equal(await second, 'b')
})

test('run() frees the place when the work throws at once', async () => {
  const semaphore = createSemaphore({ atOnce: 1, waiting: 0 })
  const thrown = semaphore.run(() => {
    throw new Error('at once')
  })
  await assert.rejects(async () => thrown, /at once/)
  assert.equal(await semaphore.run(async () => 'next'), 'next')
})

test('a place handed over is not given to a newcomer as well', async () => {
  const semaphore = createSemaphore({ atOnce: 1, waiting: 5 })
  const { started, work, end } = controlled()
  const all = [semaphore.run(work('a')), semaphore.run(work('b'))]
  await end('a')
  all.push(semaphore.run(work('c')))
  await setImmediate()
  assert.deepEqual(started, ['a', 'b'])
  await end('b')
  await end('c')
  await Promise.all(all)
})

const turnOf = (network: string, more: object = {}) => ({ network, login: 'ada', ...more })

test('networks take turns, and who is preferred goes first', async () => {
  const semaphore = createSemaphore({ atOnce: 1, waiting: 9 })
  const { started, work, end } = controlled()
  const all = [
    semaphore.run(work('a1'), turnOf('a')),
    semaphore.run(work('a2'), turnOf('a')),
    semaphore.run(work('a3'), turnOf('a')),
    semaphore.run(work('b1'), turnOf('b')),
    semaphore.run(work('c1'), turnOf('c', { isPreferred: true })),
  ]
  for (const name of ['a1', 'c1', 'a2', 'b1', 'a3']) await end(name)
  assert.deepEqual(started, ['a1', 'c1', 'a2', 'b1', 'a3'])
  await Promise.all(all)
})

test('in a full waiting room whoever has most makes room for others', async () => {
  const semaphore = createSemaphore({ atOnce: 1, waiting: 2 })
  const { started, work, end } = controlled()
  const [first, , displaced] = ['a1', 'a2', 'a3'].map((name) => semaphore.run(work(name), turnOf('a')))
  const other = semaphore.run(work('b1'), turnOf('b'))
  assert.equal(await displaced, undefined)
  assert.equal(await semaphore.run(work('a4'), turnOf('a')), undefined)
  const preferred = semaphore.run(work('c1'), turnOf('c', { isPreferred: true }))
  for (const name of ['a1', 'c1', 'a2', 'b1']) await end(name)
  assert.equal(started.length, 3)
  assert.deepEqual(started.slice(0, 2), ['a1', 'c1'])
  await Promise.all([first, other, preferred])
})

test('what is not wanted any more when its turn has come does not start', async () => {
  const semaphore = createSemaphore({ atOnce: 1, waiting: 9 })
  const { started, work, end } = controlled()
  let isWanted = true
  const all = [
    semaphore.run(work('a'), turnOf('a')),
    semaphore.run(work('b'), turnOf('a', { isWanted: () => isWanted })),
    semaphore.run(work('c'), turnOf('a')),
  ]
  isWanted = false
  await end('a')
  assert.deepEqual(started, ['a', 'c'])
  await end('c')
  assert.deepEqual(await Promise.all(all), ['a', undefined, 'c'])
  assert.equal(await semaphore.run(async () => 'next'), 'next')
})
