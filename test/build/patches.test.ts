import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { patchedFiles } from '../../src/build/patches.ts'

const file = 'postgres/src/queue.js'
const patchOf = (old: string, line: number, name = file) => ({
  path: 'a.patch',
  text: `Why\n\n--- a/node_modules/${name}\n+++ b/node_modules/${name}\n@@ -${line},3 +${line},3 @@\n ${old}\n \n-function Queue(initial = []) {\n+function Row(initial = []) {\n`,
})

test('a patch changes its place in a file, wherever that has moved', async () => {
  const source = await readFile(`node_modules/${file}`, 'utf8')
  for (const line of [1, 5]) {
    const patched = await patchedFiles([patchOf('export default Queue', line)])
    assert.deepEqual([...patched], [[file, source.replace('function Queue', 'function Row')]])
  }
})

test('a patch whose surroundings have changed stops the build', async () => {
  await assert.rejects(patchedFiles([patchOf('export default Row', 1)]), {
    message: `a.patch does not fit node_modules/${file}: see src/build/README.md`,
  })
  const twice = patchOf('export default Queue', 1)
  await assert.rejects(patchedFiles([twice, twice]), /does not fit/)
})

test('a patch of a file that a release no longer has, or of nothing, stops the build', async () => {
  await assert.rejects(patchedFiles([patchOf('a', 1, 'postgres/src/gone.js')]), /does not fit/)
  await assert.rejects(patchedFiles([{ path: 'a.patch', text: 'Nothing\n' }]), /holds no change/)
})
