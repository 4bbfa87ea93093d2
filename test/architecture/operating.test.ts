import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { blocksOf, notHere } from '../operating/commands.ts'

const page = readFileSync('docs/operating.md', 'utf8')

test('npm run operating runs every block of docs/operating.md, but for those with a reason', () => {
  const blocks = blocksOf(page)
  assert.ok(blocks.length > 15, 'the blocks were found')
  for (const [begin] of notHere)
    assert.equal(blocks.filter(({ text }) => text.startsWith(begin)).length, 1, begin)
  const fences = [...page.matchAll(/^```(\w+)$/gm)].map(([, language]) => language)
  assert.deepEqual([...new Set(fences)].toSorted(), ['sh', 'text'])
})
