import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

function runOne(...words: readonly string[]) {
  // Otherwise node takes the run for a part of this one, and reports in another form.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  return spawnSync(process.execPath, ['test/one.mjs', ...words], { env, encoding: 'utf8' })
}

test('npm run test:one runs one file of the tests without a build', () => {
  const { status, stdout, stderr } = runOne('glob.test')
  assert.equal(status, 0, stderr + stdout)
  assert.match(stdout, /^ℹ pass [1-9]/m)
})

test('npm run test:one fails if no file has the name', () => {
  for (const words of [['nobody/has/this'], []]) {
    const { status, stderr } = runOne(...words)
    assert.equal(status, 1)
    assert.match(stderr, /^Name test files by words of their paths/)
  }
})
