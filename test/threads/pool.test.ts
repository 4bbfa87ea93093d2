import source from 'worker:./sleeper.ts'
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { createPool } from '../../src/threads/pool.ts'
import type { Spending } from './sleeper.ts'

const unanswered = {
  busy: 'busy',
  gone: 'gone',
  timeout: 'timeout',
  slow: 'slow',
  memory: 'memory',
  failed: (log: string) => log,
}

/** Whether the system counts what a thread takes. */
const isCounted = existsSync('/proc/thread-self/schedstat')

test('a job has a limit of processor time, and a longer one of the clock on a busy machine', async (t) => {
  const limits = { workers: 1, timeLimit: 500, memory: 4096 }
  const pool = createPool<Spending, string>({ kind: 'test', source, weigh: () => 1, unanswered }, limits)
  t.after(pool.close)
  assert.equal(await pool.run({ clock: 1000 }), isCounted ? 'done' : 'timeout')
  assert.equal(await pool.run({ clock: 10_000 }), isCounted ? 'slow' : 'timeout')
  assert.equal(await pool.run({ processor: 60_000 }), 'timeout')
  assert.equal(await pool.run({}), 'done')
})
