import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClockWatch } from '../../src/background/clock-watch.ts'
import { createLog } from '../../src/log.ts'
import { settableClocks } from '../support/clock.ts'
import { keepLines } from '../support/sink.ts'
import { turns, until } from '../support/wait.ts'

function watched() {
  const clocks = settableClocks()
  const sink = keepLines()
  const watch = new ClockWatch(clocks)
  let repairs = 0
  let fails = false
  const repair = async () => {
    repairs++
    if (fails) throw new Error('the database is away')
  }
  const start = () => watch.start(createLog('warn', sink), repair, 1)
  const fail = (now: boolean) => {
    fails = now
  }
  return { clocks, watch, start, sink, repairs: () => repairs, fail }
}

test('a clock that goes on evenly, or is adjusted gently, is steady', async () => {
  const { clocks, watch, start, sink, repairs } = watched()
  const running = start()
  for (const milliseconds of [1, 3_600_000, 4_000, -4_000]) {
    clocks.pass(1_000)
    clocks.set(Math.abs(milliseconds) <= 4_000 ? milliseconds : 0)
    await turns(10)
  }
  await running.stop()
  assert.deepEqual([watch.steadyFor(), repairs(), sink.lines()], [4_000, 0, []])
})

test('a clock that is set is steady from then on, and a repair follows only when it was set back', async () => {
  const { clocks, watch, start, sink, repairs } = watched()
  const running = start()
  clocks.pass(1_000)
  clocks.set(3_600_000)
  assert.equal(watch.steadyFor(), 0)
  await until('it is seen', () => sink.lines().length === 1)
  assert.equal(repairs(), 0)
  clocks.pass(2_000)
  assert.equal(watch.steadyFor(), 2_000)
  clocks.set(-3_600_000)
  await until('it is repaired', () => repairs() === 1)
  await running.stop()
  await until('both are logged', () => sink.lines().length === 2)
  const said = sink.lines().map(({ message, seconds }) => `${message}: ${seconds}`)
  assert.deepEqual(said, ['the clock was set forward: 3600', 'the clock was set back: 3600'])
})

test('a repair that fails is made again', async () => {
  const { clocks, start, repairs, fail } = watched()
  fail(true)
  const running = start()
  clocks.set(-10_000)
  await until('it was tried twice', () => repairs() >= 2)
  fail(false)
  const tried = repairs()
  await until('it was tried again', () => repairs() > tried)
  await turns(20)
  await running.stop()
  assert.equal(repairs(), tried + 1)
})
