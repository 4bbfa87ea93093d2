import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { binary, openHome, runBinary } from '../support/binary.ts'
import { compileQuickly } from '../support/suite/engine.ts'

const home = await openHome()

/** What a shell says of words for the built file, which it finds as `$0 $1`. */
async function shell(script: string) {
  const options = { env: { ...process.env, ...home.environment, quick: compileQuickly } }
  return await promisify(execFile)('sh', ['-c', script, process.execPath, binary], options)
}

test('a reader that is slow is given all that was printed', async () => {
  // Two entries are more than a pipe holds, each as much as one argument may be.
  const entry = 'a'.repeat(100_000)
  for (let count = 0; count < 2; count++) await runBinary(['activity', 'add', entry], home.environment)
  const { stdout } = await shell('"$0" "$quick" "$1" activity list | { sleep 2; cat; }')
  assert.equal(stdout.split(entry).length, 3)
})

test('a reader that has had enough is no failure', async () => {
  const { stdout, stderr } = await shell('{ "$0" "$quick" "$1" activity list; echo $? >&2; } | head -c 1')
  assert.deepEqual([stdout.length, stderr], [1, '0\n'])
})

test('output that cannot be written is a failure', { skip: !existsSync('/dev/full') }, async () => {
  const { stderr } = await shell('"$0" "$quick" "$1" stat list > /dev/full; echo $? >&2')
  assert.match(stderr, /^forgehall: standard output cannot be written: ENOSPC[^\n]*\n1\n$/)
})

test('after -- a word is no option of ours', async () => {
  const { code, out } = await runBinary(['activity', 'add', '--', 'read', '--help'], home.environment)
  assert.equal(code, 0)
  assert.match(out, /read --help\n$/)
})
