import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { type Caller, LimitError, Limiter } from '../../src/limiter/limiter.ts'
import { newUsage } from '../../src/limiter/usage.ts'
import { turns } from '../support/wait.ts'

/** Works that end when told: `started` lists them in the order in which they began. */
function controlled(limiter: Limiter) {
  const started: string[] = []
  const ends = new Map<string, (error?: Error) => void>()
  const run = (name: string, caller?: Caller) => {
    const work = () =>
      new Promise<string>((resolve, reject) => {
        started.push(name)
        ends.set(name, (error) => (error ? reject(error) : resolve(name)))
      })
    return limiter.run(work, caller).catch((error: unknown) => {
      if (error instanceof LimitError) return error.reason
      throw error
    })
  }
  const end = async (name: string, error?: Error) => {
    await turns()
    ends.get(name)?.(error)
    await turns()
  }
  return { started, run, end }
}

test('as many works run as allowed, the others wait in order of arrival', async () => {
  const { started, run, end } = controlled(new Limiter({ concurrency: 2, queue: 5 }))
  const all = ['a', 'b', 'c', 'd'].map((name) => run(name))
  await turns()
  assert.deepEqual(started, ['a', 'b'])
  for (const name of ['b', 'a', 'c', 'd']) await end(name)
  assert.deepEqual(started, ['a', 'b', 'c', 'd'])
  assert.deepEqual(await Promise.all(all), ['a', 'b', 'c', 'd'])
})

test('beyond the queue callers are refused until it has room again', async () => {
  const { started, run, end } = controlled(new Limiter({ concurrency: 1, queue: 1 }))
  const all = [run('a'), run('b')]
  assert.equal(await run('c'), 'busy')
  await end('a')
  all.push(run('d'))
  await end('b')
  await end('d')
  assert.deepEqual(await Promise.all(all), ['a', 'b', 'd'])
  assert.deepEqual(started, ['a', 'b', 'd'])
})

test('work that fails, at once or later, fails its caller and frees the slot', async () => {
  const limiter = new Limiter({ concurrency: 1, queue: 1 })
  const { run, end } = controlled(limiter)
  const failed = assert.rejects(run('a'), /broken/)
  const next = run('b')
  await end('a', new Error('broken'))
  await failed
  await end('b')
  assert.equal(await next, 'b')
  const thrown = limiter.run(() => {
    throw new Error('at once')
  })
  await assert.rejects(thrown, /at once/)
  assert.equal(await limiter.run(async () => 'next'), 'next')
})

test('a slot that is handed over is not given to a newcomer as well, and is given back once', async () => {
  const limiter = new Limiter({ concurrency: 1, queue: 5 })
  const release = await limiter.acquire()
  const { started, run, end } = controlled(limiter)
  const all = [run('a'), run('b')]
  release()
  release()
  all.push(run('c'))
  await turns()
  assert.deepEqual(started, ['a'])
  for (const name of ['a', 'b', 'c']) await end(name)
  assert.deepEqual(await Promise.all(all), ['a', 'b', 'c'])
})

test('a caller whose signal fires leaves the queue, whose place is free', async () => {
  const usage = newUsage()
  const { started, run, end } = controlled(new Limiter({ concurrency: 1, queue: 1, usage }))
  const controller = new AbortController()
  const { signal } = controller
  const all = [run('a'), run('b', { signal })]
  controller.abort()
  all.push(run('c'), run('d', { signal }))
  for (const name of ['a', 'c']) await end(name)
  assert.deepEqual(await Promise.all(all), ['a', 'cancelled', 'c', 'cancelled'])
  assert.deepEqual(started, ['a', 'c'])
  assert.equal(usage.rejected, 0, 'nobody was refused')
})

test('work that takes too long fails its caller and keeps its slot until it ends', async () => {
  const { run, end } = controlled(new Limiter({ concurrency: 1, queue: 0, milliseconds: 1 }))
  assert.equal(await run('a'), 'late')
  assert.equal(await run('b'), 'busy')
  await end('a', new Error('nobody hears of it'))
  assert.equal(await run('c'), 'late')
})

test('keys take turns, and who is preferred goes first', async () => {
  const { started, run, end } = controlled(new Limiter({ concurrency: 1, queue: 9 }))
  const all = [
    ...['a1', 'a2', 'a3'].map((name) => run(name, { keys: ['a'] })),
    run('b1', { keys: ['b'] }),
    run('c1', { keys: ['c'], isPreferred: true }),
  ]
  for (const name of ['a1', 'c1', 'a2', 'b1', 'a3']) await end(name)
  assert.deepEqual(started, ['a1', 'c1', 'a2', 'b1', 'a3'])
  await Promise.all(all)
})

test('in a full queue whoever has most makes room for others', async () => {
  const { started, run, end } = controlled(new Limiter({ concurrency: 1, queue: 2 }))
  const [first, second, displaced] = ['a1', 'a2', 'a3'].map((name) => run(name, { keys: ['a'] }))
  const other = run('b1', { keys: ['b'] })
  assert.equal(await displaced, 'busy')
  assert.equal(await run('a4', { keys: ['a'] }), 'busy')
  const preferred = run('c1', { keys: ['c'], isPreferred: true })
  assert.equal(await other, 'busy')
  for (const name of ['a1', 'c1', 'a2']) await end(name)
  assert.deepEqual(await Promise.all([first, second, preferred]), ['a1', 'a2', 'c1'])
  assert.deepEqual(started, ['a1', 'c1', 'a2'])
})

test('one key has no more slots than allowed, and callers without a key all of them', async () => {
  const { started, run, end } = controlled(new Limiter({ concurrency: 2, concurrencyPerKey: 1, queue: 9 }))
  const all = [run('a1', { keys: ['a'] }), run('a2', { keys: ['a'] }), run('b1', { keys: ['b'] })]
  await turns()
  assert.deepEqual(started, ['a1', 'b1'])
  all.push(run('x', { keys: [undefined] }), run('y'))
  for (const name of ['b1', 'x', 'y', 'a1', 'a2']) await end(name)
  assert.deepEqual(started, ['a1', 'b1', 'x', 'y', 'a2'])
  await Promise.all(all)
})

test('callers that are too heavy together are rejected, and one that is too heavy alone displaces nobody', async () => {
  const { run, end } = controlled(new Limiter({ concurrency: 1, queue: 9, queueWeight: 10 }))
  const all = [run('a', { weight: 20 })]
  for (const name of ['b', 'c', 'd']) all.push(run(name, { keys: ['x'], weight: 4 }))
  assert.equal(await run('e', { keys: ['y'], weight: 11 }), 'busy')
  for (const name of ['a', 'b', 'c']) await end(name)
  assert.deepEqual(await Promise.all(all), ['a', 'b', 'c', 'busy'])
})

test('a usage counts what runs, waits, has started and was rejected', async () => {
  const usage = { running: 0, waiting: 0, started: 0, rejected: 0 }
  const limiter = new Limiter({ concurrency: 1, queue: 2, usage })
  const release = await limiter.acquire()
  const leaving = new AbortController()
  const left = limiter.acquire({ signal: leaving.signal })
  const next = limiter.acquire()
  assert.deepEqual(usage, { running: 1, waiting: 2, started: 1, rejected: 0 })
  await assert.rejects(limiter.acquire())
  leaving.abort()
  await assert.rejects(left)
  assert.deepEqual(usage, { running: 1, waiting: 1, started: 1, rejected: 1 })
  release()
  release()
  ;(await next)()
  assert.deepEqual(usage, { running: 0, waiting: 0, started: 2, rejected: 1 })
})

test('a caller that has got its slot does not listen to its signal any more', async () => {
  const limiter = new Limiter({ concurrency: 1, queue: 1 })
  const { signal } = new AbortController()
  const release = await limiter.acquire()
  const waiting = limiter.acquire({ signal })
  assert.equal(getEventListeners(signal, 'abort').length, 1)
  release()
  const second = await waiting
  assert.equal(getEventListeners(signal, 'abort').length, 0)
  second()
})
