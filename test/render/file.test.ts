import assert from 'node:assert/strict'
import { test } from 'node:test'
import { render } from '../../src/render/render.ts'
import type { RenderRequest } from '../../src/render/request.ts'
import { html, problem, requestOf } from './request.ts'

const outcomeOf = (filePath: string, text: string, changes: Partial<RenderRequest> = {}) =>
  render(requestOf(text, { mode: 'file', filePath, context: 'o/r/src/branch/main', ...changes }))
const shown = (filePath: string, text: string) => html(outcomeOf(filePath, text))

test('Markdown goes by five names in any case', () => {
  for (const name of ['a.md', 'A.MD', 'b.markdown', 'c.mdown', 'd.mkd', 'e.livemd'])
    assert.equal(shown(name, '*x*'), '<p><em>x</em></p>\n')
})

test('what has no renderer is refused, whatever its name', () => {
  for (const name of [
    'a.txt',
    'a.rst',
    'a.html',
    'a',
    '.md.txt',
    'constructor',
    'a.__proto__',
    'md',
    'openapi.yaml',
  ])
    assert.equal(problem(outcomeOf(name, 'x')).reason, 'renderer', name)
})

test('separated values: quotes, tabs, guessed delimiters, uneven rows', () => {
  const cells = (filePath: string, text: string) =>
    [...shown(filePath, text).matchAll(/<t[hd]>(.*?)<\/t[hd]>/g)].map((match) => match[1])
  assert.deepEqual(cells('a.csv', 'a,b\n"x, ""y""",<b>'), ['a', 'b', 'x, &#34;y&#34;', '&lt;b&gt;'])
  assert.deepEqual(cells('a.tsv', 'a,b\tc'), ['a,b', 'c'])
  assert.deepEqual(cells('a.csv', 'a|b\nc|d\n'), ['a', 'b', 'c', 'd'])
  assert.deepEqual(cells('a.csv', 'a,b\nc\n\nd,e,f'), ['a', 'b', 'c', 'd', 'e', 'f'])
  assert.deepEqual(cells('a.csv', 'a,b\n"c,d'), ['a', 'b'])
})

test('long tables end with a notice', () => {
  const rows = shown('a.csv', 'a,b\n'.repeat(3000))
  assert.equal(rows.match(/<tr>/g)?.length, 2501)
  assert.match(rows, /Only the first 2500 rows are shown/)
  assert.doesNotMatch(shown('a.csv', 'a,b\n'.repeat(2500)), /Only/)
})

test('terminal output is known by its content too; only colours come out', () => {
  assert.equal(
    shown('log', '\x1b[1;31ma\x1b[0m\x1b]0;title\x07 <b>\r\nc\x1b[2K'),
    '<span class="term-fg31 term-fg1">a</span> &lt;b&gt;<br/>c\n',
  )
  assert.equal(
    shown('x.sh-session', '\x1b[38;5;200ma\x1b[48;2;1;2;3mb\x1b[39mc\x1b[95md'),
    '<span class="term-fgx200">a</span><span class="term-fgx200">b</span>c<span class="term-fgi95">d</span>\n',
  )
})

test('Org: headings, emphasis, lists, tables, code, links', () => {
  const output = shown(
    'a.org',
    '* Head\nSome *bold* /it/ ~code~ [[x.org][y]]\n- a\n\n#+BEGIN_SRC js\nlet a = 1\n#+END_SRC\n| a | b |\n',
  )
  for (const part of [
    'Head</h1>',
    '<strong>bold</strong>',
    '<i>it</i>',
    '<code>code</code>',
    '<a href="http://localhost:3000/o/r/src/branch/main/x.org" rel="nofollow">y</a>',
    '<ul><li>a</li></ul>',
    'language-js display"><span class="k">let</span>',
    '<table>',
  ])
    assert.ok(output.includes(part), `${part} in ${output}`)
})

test('Org: where the parser would stand still the text is shown as it is', () => {
  for (const mark of ['~~', '==', '**', '//', '++', '__'])
    assert.equal(shown('a.org', `${mark}\n\n<x>`), `<pre>${mark}\n\n&lt;x&gt;</pre>\n`)
  assert.equal(shown('a.org', 'a\n\u00a0\nb'), '<p>a\n</p><p>b</p>\n')
})

test('a notebook: prose, code, streams, pictures, tables, errors', () => {
  const cells = [
    { cell_type: 'markdown', source: ['# T\n', 'see [x](y)'] },
    {
      cell_type: 'code',
      source: 'import os',
      outputs: [
        { output_type: 'stream', text: ['\x1b[31mred\x1b[0m\n', '<x>'] },
        { output_type: 'display_data', data: { 'image/png': 'iVBORw0KGgo=\n', 'text/plain': 'alt' } },
        {
          output_type: 'execute_result',
          data: { 'text/html': ['<b onclick=x>h</b>', '<script>1</script>'] },
        },
        { output_type: 'execute_result', data: { 'text/latex': '$x^2$' } },
        { output_type: 'error', traceback: ['first', 'second'] },
      ],
    },
    { cell_type: 'raw', source: '<raw>' },
  ]
  const output = shown('a.ipynb', JSON.stringify({ cells, metadata: { language_info: { name: 'python' } } }))
  for (const part of [
    '<h1 id="user-content-t">T</h1>',
    '/o/r/src/branch/main/y"',
    '<span class="k">import</span> os',
    '<span class="term-fg31">red</span><br/>&lt;x&gt;',
    '<img src="data:image/png;base64,iVBORw0KGgo=" alt="alt"/>',
    '<b>h</b>',
    '<code class="language-math display">x^2</code>',
    'first<br/>second',
    '&lt;raw&gt;',
  ])
    assert.ok(output.includes(part), `${part} in ${output}`)
  assert.doesNotMatch(output, /script|onclick/)
})

test('pictures inside the text stay in notebooks only', () => {
  const picture = '<img src="data:image/png;base64,AAAA" alt="x">'
  assert.doesNotMatch(shown('a.md', picture), /data:/)
  const cells = [{ cell_type: 'markdown', source: '<img src="data:image/svg+xml;base64,AAAA" alt="x">' }]
  assert.doesNotMatch(shown('a.ipynb', JSON.stringify({ cells })), /data:/)
})
