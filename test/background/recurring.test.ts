import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneAtATime } from '../../src/background/recurring.ts'
import { held } from '../support/wait.ts'

test('who asks while it runs causes one more run, however many ask', async () => {
  const ends = [held<void>(), held<void>(), held<void>()]
  let runs = 0
  const ask = oneAtATime(() => ends[runs++]?.promise ?? Promise.resolve())
  const first = ask()
  const others = [ask(), ask()]
  assert.equal(runs, 1)
  ends[0]?.resolve()
  ends[1]?.resolve()
  await Promise.all([first, ...others])
  assert.equal(runs, 2)
  ends[2]?.resolve()
  await ask()
  assert.equal(runs, 3)
})

test('who asks in the very moment of its end is not forgotten', async () => {
  let runs = 0
  let asked = false
  const ask = oneAtATime(async () => {
    runs++
    await null
    if (!asked) {
      asked = true
      // A chain of microtasks that ends around the end of the run, whichever comes first.
      let chain = Promise.resolve()
      for (let at = 0; at < 6; at++) {
        chain = chain.then(() => {
          void ask()
        })
      }
    }
  })
  await ask()
  for (let at = 0; at < 20; at++) await null
  const before = runs
  await ask()
  assert.equal(runs, before + 1)
  assert.ok(before >= 2)
})

test('a failure goes to who asked, and the next to ask begins anew', async () => {
  let runs = 0
  const ask = oneAtATime(async () => {
    if (++runs === 1) throw new Error('first')
  })
  await assert.rejects(ask(), /first/)
  await ask()
  assert.equal(runs, 2)
})
