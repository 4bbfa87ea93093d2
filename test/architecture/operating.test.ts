import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { blocksOf } from '../operating/commands.ts'

const page = readFileSync('docs/operating.md', 'utf8')

test('npm run operating runs every block of docs/operating.md', () => {
  assert.ok(blocksOf(page).length > 15, 'the blocks were found')
  const fences = [...page.matchAll(/^```(\w+)$/gm)].map(([, language]) => language)
  assert.deepEqual([...new Set(fences)].toSorted(), ['sh', 'text'])
})
