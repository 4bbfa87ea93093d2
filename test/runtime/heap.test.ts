import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

/** Megabytes of the nursery of a process that has been kept small. */
async function nursery(): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'heap.child.js')])
  return Number(stdout)
}

test('the nursery of a server that has come up stops at half of what V8 would give it', async () => {
  const seen: number[] = []
  // It is told of its growth a moment late, so on a busy machine it may grow once more; but not each time.
  while (seen.length < 5 && !seen.some((size) => size > 14 && size < 18)) seen.push(await nursery())
  assert.ok(Math.min(...seen) < 18, seen.join(', '))
})
