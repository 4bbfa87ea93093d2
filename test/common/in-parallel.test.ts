import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { inParallel } from '../../src/common/in-parallel.ts'

test('inParallel does all items, at most so many at a time', async () => {
  const done: number[] = []
  let running = 0
  let most = 0
  await inParallel(3, [1, 2, 3, 4, 5, 6, 7], async (item) => {
    most = Math.max(most, ++running)
    await turn()
    running--
    done.push(item)
  })
  assert.equal(most, 3)
  assert.deepEqual(done, [1, 2, 3, 4, 5, 6, 7])
})

test('inParallel starts no other item once one has failed', async () => {
  const started: number[] = []
  const work = async (item: number) => {
    started.push(item)
    await turn()
    if (item === 2) throw new Error('two')
  }
  await assert.rejects(inParallel(2, [1, 2, 3, 4, 5, 6], work), /two/)
  await turn()
  assert.deepEqual(
    started.filter((item) => item > 3),
    [],
  )
})

test('inParallel does nothing without items', async () => {
  await inParallel(2, [], async () => assert.fail('there is no item'))
})
