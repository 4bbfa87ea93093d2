import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue } from '../../../src/forge/auth/fair-queue.ts'

/** Items are called by network, login and number: `a1 ada 1`. */
function queueOf(...names: readonly string[]): FairQueue<string> {
  const queue = new FairQueue<string>()
  for (const name of names) queue.add(waiterOf(name), name)
  return queue
}

function waiterOf(name: string) {
  const [network = '', login = ''] = name.split(' ')
  return { network, login }
}

function drained(queue: FairQueue<string>): string[] {
  const taken: string[] = []
  for (let item = queue.next(); item !== undefined; item = queue.next()) taken.push(item)
  assert.equal(queue.length, 0)
  return taken
}

test('networks take turns, and within a network its logins do', () => {
  const queue = queueOf('a ada 1', 'a ada 2', 'a eve 1', 'b bob 1', 'a eve 2', 'c ada 1')
  assert.equal(queue.length, 6)
  assert.deepEqual(drained(queue), ['a ada 1', 'b bob 1', 'c ada 1', 'a eve 1', 'a ada 2', 'a eve 2'])
})

test('a newcomer does not wait for what a network that was served has brought', () => {
  const queue = queueOf(...Array.from({ length: 80 }, (_, number) => `a eve ${number}`))
  assert.equal(queue.next(), 'a eve 0')
  queue.add(waiterOf('b ada'), 'b ada 1')
  assert.deepEqual([queue.next(), queue.next()], ['b ada 1', 'a eve 1'])
})

test('a login does not wait for all networks that bring another one', () => {
  const queue = queueOf(...Array.from({ length: 80 }, (_, number) => `n${number} eve`))
  assert.equal(queue.next(), 'n0 eve')
  queue.add(waiterOf('m ada'), 'm ada')
  assert.equal(queue.next(), 'm ada')
})

test('a network that was served and comes again waits for those that were not', () => {
  const queue = queueOf('a ada 1', 'b bob 1', 'c carl 1')
  assert.equal(queue.next(), 'a ada 1')
  queue.add(waiterOf('a ada'), 'a ada 2')
  queue.add(waiterOf('d dan'), 'd dan 1')
  assert.deepEqual(drained(queue), ['b bob 1', 'c carl 1', 'd dan 1', 'a ada 2'])
})

test('displace() takes the newest of the login with most in the network with most', () => {
  const queue = queueOf('a ada 1', 'a eve 1', 'a eve 2', 'b bob 1', 'b bob 2')
  assert.equal(queue.displace(waiterOf('c carl')), 'a eve 2')
  assert.equal(queue.length, 4)
  assert.deepEqual(drained(queue), ['a ada 1', 'b bob 1', 'a eve 1', 'b bob 2'])
})

test('displace() takes nothing where the newcomer would have as much', () => {
  assert.equal(queueOf('a ada 1', 'b bob 1').displace(waiterOf('c carl')), undefined)
  assert.equal(queueOf('a ada 1', 'a ada 2', 'b bob 1').displace(waiterOf('b bob')), undefined)
  assert.equal(queueOf('a ada 1', 'a ada 2').displace(waiterOf('a ada')), undefined)
  assert.equal(queueOf().displace(waiterOf('a ada')), undefined)
})

test('displace() makes room within a network for a login that has less', () => {
  const queue = queueOf('a ada 1', 'a ada 2', 'a ada 3', 'b bob 1')
  assert.equal(queue.displace(waiterOf('a eve')), 'a ada 3')
})

test('displace() without a newcomer takes something whatever there is', () => {
  const queue = queueOf('a ada 1')
  assert.equal(queue.displace(), 'a ada 1')
  assert.equal(queue.displace(), undefined)
  assert.deepEqual(drained(queue), [])
})
