import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue } from '../../src/limiter/fair-queue.ts'

/** `a ada 1` stands for the first item of the login `ada` from the network `a`; `!` marks a preferred one. */
const itemOf = (name: string) => {
  const [network, login] = name.split(' ')
  return { name, keys: [network, login], isPreferred: name.endsWith('!'), weight: 1 }
}

function queueOf(...names: readonly string[]): FairQueue<ReturnType<typeof itemOf>> {
  const queue = new FairQueue<ReturnType<typeof itemOf>>()
  for (const name of names) queue.add(itemOf(name))
  return queue
}

const next = (queue: ReturnType<typeof queueOf>) => queue.next(() => true)?.name

function drained(queue: ReturnType<typeof queueOf>): string[] {
  const taken: string[] = []
  for (let name = next(queue); name !== undefined; name = next(queue)) taken.push(name)
  assert.deepEqual([queue.length, queue.weight], [0, 0])
  return taken
}

test('networks take turns, and within a network its logins do', () => {
  const queue = queueOf('a ada 1', 'a ada 2', 'a eve 1', 'b bob 1', 'a eve 2', 'c ada 1')
  assert.deepEqual([queue.length, queue.weight], [6, 6])
  assert.deepEqual(drained(queue), ['a ada 1', 'b bob 1', 'c ada 1', 'a eve 1', 'a ada 2', 'a eve 2'])
})

test('a newcomer does not wait for what a network that was served has brought', () => {
  const queue = queueOf(...Array.from({ length: 80 }, (_, number) => `a eve ${number}`))
  assert.equal(next(queue), 'a eve 0')
  queue.add(itemOf('b ada 1'))
  assert.deepEqual([next(queue), next(queue)], ['b ada 1', 'a eve 1'])
})

test('a login does not wait for all networks that bring another one', () => {
  const queue = queueOf(...Array.from({ length: 80 }, (_, number) => `n${number} eve`))
  assert.equal(next(queue), 'n0 eve')
  queue.add(itemOf('m ada'))
  assert.equal(next(queue), 'm ada')
})

test('a network that was served and comes again waits for those that were not', () => {
  const queue = queueOf('a ada 1', 'b bob 1', 'c carl 1')
  assert.equal(next(queue), 'a ada 1')
  queue.add(itemOf('a ada 2'))
  queue.add(itemOf('d dan 1'))
  assert.deepEqual(drained(queue), ['b bob 1', 'c carl 1', 'd dan 1', 'a ada 2'])
})

test('what is preferred goes first, and what may not run is passed over', () => {
  const queue = queueOf('a ada 1', 'b bob 1', 'c carl !')
  assert.equal(queue.next(({ name }) => name.startsWith('b'))?.name, 'b bob 1')
  assert.equal(
    queue.next(() => false),
    undefined,
  )
  assert.deepEqual(drained(queue), ['c carl !', 'a ada 1'])
})

for (const [names, crowded] of [
  [['a ada 1', 'a eve 1', 'a eve 2', 'b bob 1', 'b bob 2', 'c carl 1'], 'a eve 2'],
  [['a ada 1', 'b bob 1', 'c carl 1'], 'c carl 1'],
  [['a ada 1', 'a ada 2', 'b bob 1', 'b bob 2'], 'b bob 2'],
  [['a ada 1', 'a ada 2', 'a ada 3', 'b bob 1', 'a eve 1'], 'a ada 3'],
  [['a ada 1', 'a ada 2', 'a eve 1', 'b eve 1', 'c eve 1'], 'a ada 2'],
  [['a ada !', 'a ada !', 'b bob 1'], 'b bob 1'],
] as const) {
  test(`of ${names.join(', ')} the most crowded is ${crowded}`, () => {
    assert.equal(queueOf(...names).mostCrowded()?.name, crowded)
  })
}
