import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { test } from 'node:test'
import { lowerPriority } from '../../../src/git/program/priority.ts'
import { until } from '../../support/wait.ts'

test('a long run steps back, also as the leader of its session', async () => {
  const child = spawn('sleep', ['60'], { detached: true })
  await once(child, 'spawn')
  const pid = child.pid ?? 0
  lowerPriority(child)
  assert.equal(getPriority(pid), 10)
  const group = `/proc/${pid}/autogroup`
  if (existsSync(group))
    await until('the session has stepped back', () => / nice 10$/m.test(readFileSync(group, 'utf8')))
  child.kill()
  await once(child, 'exit')
  lowerPriority(child)
})

test('a process that never started is left alone', async () => {
  const child = spawn('/nonexistent')
  lowerPriority(child)
  await once(child, 'error')
})
