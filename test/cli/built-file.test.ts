import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { binary } from '../support/binary.ts'

/**
 * V8 keeps a source of Latin-1 in one byte per character. A single other character doubles the memory of the whole file.
 * esbuild escapes such characters in strings but not in tagged templates: write them as HTML entities there.
 */
test('the built file holds only characters of Latin-1', async () => {
  const source = await readFile(binary, 'utf8')
  const others = [...source.matchAll(/.{0,40}[^\0-\u{ff}].{0,20}/gu)].map(([line]) => line)
  assert.deepEqual(others, [])
})
