import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

test('node --test runs one file of the tests without a build', () => {
  const words = ['--import', './test/register.mjs', '--test', 'test/glob.test.ts']
  // Otherwise node takes the run for a part of this one, and reports in another form.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { env, encoding: 'utf8' })
  assert.equal(status, 0, stderr + stdout)
  assert.match(stdout, /^(?:#|ℹ) pass [1-9]/m)
})
