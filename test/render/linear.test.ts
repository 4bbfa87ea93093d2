import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { render } from '../../src/render/render.ts'
import { createRenderer } from '../../src/render/renderer.ts'
import { html, requestOf } from './request.ts'

const length = 24_000
const fill = (part: string) => part.repeat(length / part.length)
const around = (before: string, after: string) =>
  before.repeat(length / (before.length + after.length)) +
  after.repeat(length / (before.length + after.length))
const rising = (mark: string) => Array.from({ length: 210 }, (_, at) => mark.repeat(at)).join('a')

/** Texts for which the libraries alone take longer than a text may, or would if they were some times as long. */
const texts: Record<string, string> = {
  'ends of links without a beginning': fill(']'),
  'beginnings of links': fill('['),
  'brackets within brackets': around('[', ']'),
  'pictures within pictures': around('![', '](x)'),
  'addresses without an end': fill('[a](b (').repeat(2),
  'references that end nowhere': fill('[a][').repeat(4),
  'colons that define nothing': 't\n:x\n\n'.repeat(12_000),
  'terms with definitions': 't\n: x\n\n'.repeat(2_000),
  'colons below headings': '# t\n: x\n\n'.repeat(8_000),
  'headings that are underlined': 'a\n===\n'.repeat(10_000),
  'emphasis on both sides': fill('*a'),
  'emphasis of two sizes': fill('*a**'),
  'strikethrough on both sides': fill('~~a'),
  'code without an end': rising('`'),
  'tags without an end': fill('<a b="'),
  'formulas without an end': fill('$$a '),
  'quoted formulas without an end': fill('$`a'),
  'formulas with open braces': fill('{$'),
  'lists in lists on a line': fill('+ '),
  'quotes in quotes on a line': fill('>'),
  'lines that leave out the mark of their quote': `> a\n${fill('b\n')}`,
  'addresses that go on behind punctuation': `http://x/${fill('!')}x`,
  'addresses that go on behind brackets': `http://x/${fill(']')}x`,
  'addresses that go on behind dots': `http://x${fill('.')}x`,
  'addresses in HTML with brackets behind them': `<p>${fill(`http://x/${')'.repeat(1990)} `)}</p>`,
  'addresses in brackets without an end': fill('http://x/('),
  'addresses in double brackets without an end': fill('http://x/((a'),
  'an address with many brackets': `http://x/${fill('(a)')}(`,
  'an address in which brackets are open': `http://x/(${fill('(a)')}`,
  'addresses in an open bracket': `[${fill('http://a.b ')}`,
}

const renderer = createRenderer()
after(() => renderer.close())

for (const [name, text] of Object.entries(texts))
  test(`${name} are rendered like other texts, not given up`, async () => {
    html(await renderer.render(requestOf(text, { mode: 'comment' })))
  })

const shown = (text: string) => html(render(requestOf(text)))

test('markup beyond the bounds is shown as text', () => {
  assert.match(shown(fill('$$a ')), /^<p>\$\$a \$\$a /)
  assert.match(shown('> '.repeat(200)), /<blockquote>\n<p>&gt; &gt; /)
})

test('ordinary texts stay within the bounds', () => {
  const lists = Array.from({ length: 24 }, (_, depth) => `${'    '.repeat(depth)}- a\n`).join('')
  assert.equal(shown(lists).split('<ul>').length - 1, 24)
  const paragraph = 'Costs $5 or `code`, [a](b) and *c* <b>d</b> or ~~e~~, $f$. '.repeat(500)
  const output = shown(paragraph)
  for (const part of [
    '<code>code</code>',
    '<a href="b"',
    '<em>c</em>',
    '<b>d</b>',
    '<del>e</del>',
    '>f</code>',
  ])
    assert.equal(output.split(part).length - 1, 500, part)
})
