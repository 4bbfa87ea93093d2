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

test('a file without a renderer is refused, whatever its name', () => {
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
    '<span class="term-fgx200">ab</span>c<span class="term-fgi95">d</span>\n',
  )
})

test('Org: headings, emphasis, lists, tables, code, links', () => {
  const output = shown(
    'a.org',
    '* Head\nSome *bold* /it/ ~code~ [[x.org][y]]\n- a\n\n#+BEGIN_SRC js\nlet a = 1\n#+END_SRC\n| a | b |\n',
  )
  for (const part of [
    'Head</h2>',
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

const orgExamples = [
  [
    'what a task is stands in its headline; its tags behind',
    '* TODO [#A] Sub :a:b:\n',
    '<h2 id="user-content-sub">TODO [#A] Sub\u00a0<small>a b</small></h2>',
  ],
  [
    'a headline is led to by its title or its own name',
    '* A b\n** C\n:PROPERTIES:\n:CUSTOM_ID: Own\n:END:\n[[*A b]] [[*A b][x]] [[#Own][y]]\n',
    '<h2 id="user-content-a-b">A b</h2>',
    '<h3 id="user-content-Own">C</h3>',
    '<a href="#user-content-a-b" rel="nofollow">A b</a> <a href="#user-content-a-b" rel="nofollow">x</a>',
    '<a href="#user-content-Own" rel="nofollow">y</a>',
  ],
  ['six levels', '******** Deep\n', '<h6 id="user-content-deep">Deep</h6>'],
  [
    'a list in a list belongs into an item',
    '- a\n  1. b\n     - c\n- d\n',
    '<ul><li>a<ol><li>b<ul><li>c</li></ul></li></ol></li><li>d</li></ul>',
  ],
  ['lines of an item stay apart', '- a\nb\n', '<ul><li>a\nb</li></ul>'],
  [
    'a definition has its list in it',
    '- t :: d\n  - e\n',
    '<dl><dt>t</dt><dd>d<ul><li>e</li></ul></dd></dl>',
  ],
  [
    'rules part a table',
    '#+CAPTION: c\n|---|\n| a |\n|---|\n| b |\n|---|\n| *c* |\n|---|\n',
    '<thead><tr><th>a</th></tr></thead>',
    '<tbody><tr><td>b</td></tr></tbody><tbody><tr><td><strong>c</strong></td></tr></tbody></table>',
  ],
  [
    'a table without a head',
    '| a |\n| b |\n',
    '<table><tbody><tr><td>a</td></tr><tr><td>b</td></tr></tbody>',
  ],
  [
    'a footnote in a sentence, with and without a name',
    'a[fn::in /it/] b[fn:x: y]\n',
    '<p>a<sup id="user-content-fnref-note-1"><a href="#user-content-fn-note-1" rel="nofollow">note-1</a></sup> b',
    '<div id="user-content-fn-note-1"><p><sup><a href="#user-content-fnref-note-1" rel="nofollow">note-1</a></sup> in <i>it</i></p></div>',
    '<div id="user-content-fn-x"><p><sup>',
  ],
  [
    'a footnote says which one it is',
    'a[fn:1]\n\n[fn:1] b\n',
    '<div id="user-content-fn-1"><p><sup><a href="#user-content-fnref-1" rel="nofollow">1</a></sup> b',
  ],
  ['an export for nobody', '*a*\n#+BEGIN_EXPORT\nx\n#+END_EXPORT\n', '<strong>a</strong>'],
  ['code in no language', '#+BEGIN_SRC\nx\n#+END_SRC\n', '<code class="chroma language-text display">x'],
] as const

for (const [name, source, ...parts] of orgExamples)
  test(`Org: ${name}`, () => {
    const output = shown('a.org', source)
    for (const part of parts) assert.ok(output.includes(part), `${part} in ${output}`)
  })

test('Org: a text on which the parser makes no progress is shown as it is', () => {
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
