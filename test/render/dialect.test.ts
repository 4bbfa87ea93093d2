import assert from 'node:assert/strict'
import { test } from 'node:test'
import { render } from '../../src/render/render.ts'
import type { RenderRequest } from '../../src/render/request.ts'
import { html, requestOf } from './request.ts'

const shown = (text: string, changes: Partial<RenderRequest> = {}) =>
  html(render(requestOf(text, { mode: 'gfm', context: 'o/r/src/branch/main', ...changes }))).replace(
    /<svg.*?<\/svg>/g,
    '<svg/>',
  )

test('all five alerts in any case, escaped, and in the older form', () => {
  for (const name of ['Note', 'Tip', 'Important', 'Warning', 'Caution']) {
    const kind = `attention-${name.toLowerCase()}`
    const expected = `<blockquote class="attention-header ${kind}"><p><svg/><strong class="${kind}">${name}</strong></p>\n<p>text</p>\n</blockquote>\n`
    for (const first of [
      `[!${name.toUpperCase()}]`,
      `[!${name}]`,
      `\\[!${name}\\]`,
      `**${name}**`,
      `*${kind.slice(10)}*`,
    ])
      for (const mode of ['gfm', 'comment'])
        assert.equal(shown(`> ${first}\n> text`, { mode }), expected, first + mode)
  }
})

test('a quote that only resembles an alert stays a quote', () => {
  for (const text of ['> [!NOTES]\n> text', '> [!NOTE] text', '> **notes**\n> text', '> x [!NOTE]\n> text'])
    assert.doesNotMatch(shown(text), /attention/, text)
})

test('in the raw modes an alert has no classes', () => {
  assert.match(shown('> [!TIP]\n> x', { mode: '' }), /^<blockquote><p><svg\/><strong>Tip<\/strong><\/p>/)
})

test('the table of contents nests like the headings and stands first', () => {
  const text = '---\ninclude_toc: true\ngitea: none\n---\n# A\n### B\n## C\n# D'
  const list =
    '<ul><li><a href="#user-content-a" rel="nofollow">A</a><ul><ul><li><a href="#user-content-b" rel="nofollow">B</a></li></ul><li><a href="#user-content-c" rel="nofollow">C</a></li></ul></li><li><a href="#user-content-d" rel="nofollow">D</a></li></ul>'
  assert.ok(
    shown(text).startsWith(`<details><summary>Table of Contents</summary>${list}</details>\n<h1`),
    shown(text),
  )
  assert.doesNotMatch(shown(text, { mode: 'comment' }), /Table of Contents/)
})

test('front matter can be a table, nothing, and name the language', () => {
  assert.match(
    shown('---\ngitea: table\na: [1, {b: c}]\n---\nx'),
    /^<table><thead>.*<table><tbody><tr><td>1<\/td><\/tr><tr><td><table>/,
  )
  assert.equal(shown('---\ngitea: none\nlang: de\n---\nx'), '<div lang="de"><p>x</p></div>\n')
})

test('a block that is not a mapping, not closed, or not YAML is not front matter', () => {
  for (const text of [
    '---\nword\n---\n',
    '---\na: 1\n',
    '---\na: [\n---\n',
    '---\n\n---\n',
    '--\na: 1\n--\n',
    '\t---\na: 1\n---\n',
    '---x\na: 1\n---\n',
    '\n---\na: 1\n---\n',
  ])
    assert.doesNotMatch(shown(text), /<details|<table/, text)
})

test('aliases in front matter cannot explode', () => {
  const levels = Array.from(
    { length: 30 },
    (_, index) => `a${index}: &a${index} [${index === 0 ? 'x' : `*a${index - 1}, *a${index - 1}`}]`,
  )
  assert.doesNotMatch(shown(`---\n${levels.join('\n')}\n---\nx`), /<details/)
})

test('positions of boxes count bytes and the front matter', () => {
  assert.match(shown('---\na: ä\n---\n\u{1f600}\n\n- [x] b'), /data-source-position="22"/)
  assert.match(shown('a\r\n\r\n- [ ] b'), /data-source-position="5"/)
})

test('footnotes: a comment has its own anchors, repeated calls lead back each, unused notes are dropped', () => {
  assert.match(shown('[^a]\n\n[^a]: x', { mode: 'comment' }), /id="fn:user-content-a-preview"/)
  const repeated = shown('[^a] [^a]\n\n[^a]: x\n[^b]: y')
  assert.match(repeated, /href="#fnref:user-content-a-2"/)
  assert.doesNotMatch(repeated, />y/)
})

test('references: closing words, other repositories, commits, and nothing in code or links', () => {
  assert.equal(
    shown('Fixes #3, closes: a/b!4', { mode: 'comment', context: 'o/r' }),
    '<p><span class="issue-keyword">Fixes</span> <a href="http://localhost:3000/o/r/issues/3" class="ref-issue" rel="nofollow">#3</a>, <span class="issue-keyword">closes</span>: <a href="http://localhost:3000/a/b/pulls/4" class="ref-issue" rel="nofollow">a/b!4</a></p>\n',
  )
  assert.match(
    shown('a/b@0123456789abcdef'),
    /<a href="[^"]*\/a\/b\/commit\/0123456789abcdef" class="commit" rel="nofollow">a\/b@0123456789<\/a>/,
  )
  assert.equal(shown('`#3` 0123456789 x#3', { mode: 'comment' }), '<p><code>#3</code> 0123456789 x#3</p>\n')
  assert.doesNotMatch(shown('[a #3](x)', { mode: 'comment', context: 'o/r' }), /ref-issue/)
  assert.equal(shown('#3', { mode: 'comment', context: '' }), '<p>#3</p>\n')
})

test('hard breaks only where a comment has a line end', () => {
  const comment = (text: string) => shown(text, { mode: 'comment' })
  assert.equal(comment('a\nb  \nc\\\nd'), '<p>a<br/>\nb<br/>\nc<br/>\nd</p>\n')
  assert.equal(comment('- a\n  b\n- c'), '<ul>\n<li>a<br/>\nb</li>\n<li>c</li>\n</ul>\n')
  assert.equal(comment('`a\nb` <b\ntitle="x">c</b>'), '<p><code>a b</code> <b title="x">c</b></p>\n')
  assert.match(comment('[a](/b "x\ny")'), /title="x\ny"/)
  assert.equal(comment('# a\nb\n\nc'), '<h1>a</h1>\n<p>b</p>\n<p>c</p>\n')
})

test('highlighted code has short classes; unknown languages have none', () => {
  assert.match(
    shown('```ts\nconst a: string = "x" // y\n```'),
    /<span class="k">const<\/span> .*<span class="s">&#34;x&#34;<\/span> <span class="c">/,
  )
  assert.match(shown('```nothing\nconst\n```'), /language-nothing display">const\n</)
  assert.match(shown('```\nconst\n```'), /language-text display">const\n</)
  assert.match(
    shown('```mermaid\ngraph\n```'),
    /<pre class="code-block is-loading"><code class="chroma language-mermaid display">/,
  )
})

test('formulas', () => {
  const code = (inside: string) => `<code class="language-math">${inside}</code>`
  assert.equal(
    shown('$$x$$ ($y$) $\\text{$z$}$ costs $5 and $6'),
    `<p>${code('x')} (${code('y')}) ${code('\\text{$z$}')} costs $5 and $6</p>\n`,
  )
  assert.equal(
    shown('$$\na < b\n$$\nx'),
    '<pre class="code-block is-loading"><code class="language-math display">a &lt; b\n</code></pre>\n<p>x</p>\n',
  )
  assert.equal(shown('$$ x\ny'), '<p>$$ x\ny</p>\n')
})

test('colours in code, but no words', () => {
  for (const color of [
    '#abc',
    '#AABBCC',
    'rgb(1,2,3)',
    'rgba(1, 2, 3, 0.5)',
    'hsl(12, 10%, 20%)',
    'hsla(1,2%,3%,.4)',
  ])
    assert.match(shown(`\`${color}\``), /color-preview/, color)
  for (const color of ['red', '#ab', 'rgb(1,2)', 'rgb(var(--x),1,2)', '#abc;x'])
    assert.doesNotMatch(shown(`\`${color}\``), /color-preview/, color)
})

test('decoration marks generated links directly after the address', () => {
  assert.match(
    shown('https://a.b', { decorate: true }),
    /^<p dir="auto"><a href="https:\/\/a.b" data-markdown-generated-content="" rel="nofollow">/,
  )
  assert.doesNotMatch(shown('https://a.b <a data-markdown-generated-content>x</a>'), /generated/)
})

test('ids of a text get a prefix, once', () => {
  assert.equal(
    shown('<a name="x" id="y">z</a> [z](#x)'),
    '<p><a name="user-content-x" id="user-content-y">z</a> <a href="#user-content-x" rel="nofollow">z</a></p>\n',
  )
  assert.equal(shown('# A {#user-content-b}'), '<h1 id="user-content-b">A</h1>\n')
  assert.equal(shown('# A {#b}', { mode: '' }), '<h1 id="user-content-b">A</h1>\n')
})

test('links: parents stay inside the repository, queries stay, foreign and broken ones are untouched', () => {
  const file = { mode: 'file', filePath: 'docs/a/x.md', context: 'o/r/src/branch/main/docs/a' }
  const href = (url: string) => /href="([^"]*)"/.exec(shown(`[x](${url})`, file))?.[1]
  const tree = 'http://localhost:3000/o/r/src/branch/main'
  assert.equal(href('../b.md?x=1#y'), `${tree}/docs/b.md?x=1#y`)
  assert.equal(href('../../../../b.md'), `${tree}/b.md`)
  assert.equal(href('/b/'), `${tree}/b`)
  assert.equal(href('a%20b'), `${tree}/docs/a/a%20b`)
  assert.equal(href('//x.example/y'), '//x.example/y')
  assert.equal(href('HTTPS://x'), 'HTTPS://x')
  assert.equal(href('%zz'), '%zz')
})

test('a sub-path of the site is taken off the context', () => {
  const output = shown('[x](y)', { host: 'http://h/git/', context: '/git/o/r/src/branch/main' })
  assert.match(output, /href="http:\/\/h\/git\/o\/r\/src\/branch\/main\/y"/)
})

test('line ends of every kind are line feeds, NUL is dropped', () => {
  assert.equal(shown('a\r\nb\rc\0d'), '<p>a\nb\ncd</p>\n')
  assert.equal(shown('\ufeff# a', { mode: '' }), '<h1>a</h1>\n')
})
