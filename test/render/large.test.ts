import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { orgLimits } from '../../src/render/formats/org.ts'
import { createPool } from '../../src/render/pool.ts'
import { render } from '../../src/render/render.ts'
import { html, requestOf } from './request.ts'

const requestFor = (text: string) => requestOf(text, { mode: 'file', filePath: 'a.org' })
// A worker has a larger stack than the main thread of the tests.
const pool = createPool({ workers: 1 })
after(() => pool.close())
const org = async (text: string) => html(await pool.run(requestFor(text)))
const count = (text: string, part: string) => text.split(part).length - 1

test('Org: as many headings, list items and lines as there are', async () => {
  const many = 300
  assert.equal(count(await org('* a\n'.repeat(many)), '<h2'), many)
  assert.equal(count(await org('* a\n** b\n'.repeat(many / 2)), '<h3'), many / 2)
  assert.equal(count(await org('- a\n'.repeat(many)), '<li>'), many)
  assert.equal(count(await org(`* a\n${'some *bold* words\n'.repeat(many)}`), '<strong>'), many)
  assert.equal(count(await org(`* a\n${'| a | b |\n'.repeat(many)}`), '<tr>'), many)
})

const { length, lines, line } = orgLimits

for (const [what, text, more] of [
  ['long', `${'some words '.repeat(line / 11)}\n`.padStart(line).repeat(length / line), 'b'],
  ['of many lines', '\n'.repeat(lines - 1), '\n'],
  ['a long line', '=a= '.repeat(line / 4), 'b'],
] as const) {
  test(`Org: a text that is ${what} is rendered, and shown as it is with one more`, async () => {
    assert.doesNotMatch(await org(text), /^<pre>/)
    assert.match(await org(`${text}${more}`), /^<pre>/)
  })
}

test('Org: a text that the parser cannot handle is shown as it is', async () => {
  assert.equal(await org('* a\n~~\n\n<b>'), '<pre>* a\n~~\n\n&lt;b&gt;</pre>\n')
  const tokens = `* a\n${'*b* /c/ =d= ~e~ _f_ +g+\n'.repeat(lines - 2)}`
  // On the smaller stack of this thread.
  assert.match(html(render(requestFor(tokens))), /^<pre>\* a\n\*b\* /)
})

for (const [what, unit] of [
  ['links without an end', '[['],
  ['footnotes without an end', '[fn:'],
  ['a block in each line', `#+BEGIN_QUOTE\n`],
  ['LaTeX without an end', '\\begin{a}\n'],
] as const) {
  test(`Org: ${what} are rendered within the time limit`, async () => {
    const isLine = unit.endsWith('\n')
    const text = isLine
      ? unit.repeat(lines - 1)
      : `${unit.repeat(line / unit.length)}\n`.repeat(Math.floor(length / (line + 1)))
    assert.match(await org(text), /^<(?!pre>)/)
  })
}
