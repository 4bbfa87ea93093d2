import assert from 'node:assert/strict'
import { test } from 'node:test'
import { render } from '../../src/render/render.ts'
import { html, requestOf } from './request.ts'

const rendered = (text: string) => html(render(requestOf(text, { mode: 'gfm' })))

/** Marks of the first line and of the lines below it, and what they become. */
const containers = [
  ['', '', '', ''],
  ['> ', '> ', '<blockquote>\n', '</blockquote>\n'],
] as const

/** Texts, and what becomes of them. */
const cases = [
  ['t\n: one\n\n    two', '<dl>\n<dt>t</dt>\n<dd>\n<p>one</p>\n<p>two</p></dd>\n</dl>'],
  [
    't\n: one\n\n  two\n: three',
    '<dl>\n<dt>t</dt>\n<dd>\n<p>one</p>\n<p>two</p>\n</dd>\n<dd>three</dd>\n</dl>',
  ],
  ['t\n: one\n\nt\n: two', '<dl>\n<dt>t</dt>\n<dd>one</dd>\n<dt>t</dt>\n<dd>two</dd>\n</dl>'],
  ['t\n: one\n\n: two', '<dl>\n<dt>t</dt>\n<dd>one</dd>\n<dd>\n<p>two</p></dd>\n</dl>'],
  ['t\n: one\n\nafter', '<dl>\n<dt>t</dt>\n<dd>one</dd>\n</dl>\n<p>after</p>'],
  [
    't\n: - one\n\n    two',
    '<dl>\n<dt>t</dt>\n<dd>\n<ul>\n<li>\n<p>one</p>\n<p>two</p>\n</li>\n</ul></dd>\n</dl>',
  ],
  [
    't\n: - one\n\n: two',
    '<dl>\n<dt>t</dt>\n<dd>\n<ul>\n<li>one</li>\n</ul>\n</dd>\n<dd>\n<p>two</p></dd>\n</dl>',
  ],
  [
    't\n: one\n  - two\n\n  three',
    '<dl>\n<dt>t</dt>\n<dd>\n<p>one</p>\n<ul>\n<li>two</li>\n</ul>\n<p>three</p></dd>\n</dl>',
  ],
  [
    't\n: one\n  - two\n\n  - three',
    '<dl>\n<dt>t</dt>\n<dd>one\n<ul>\n<li>\n<p>two</p>\n</li>\n<li>\n<p>three</p>\n</li>\n</ul></dd>\n</dl>',
  ],
  [
    't\n: ```\n  one\n\n  two\n  ```',
    '<dl>\n<dt>t</dt>\n<dd>\n<div class="code-block-container code-overflow-scroll"><pre class="code-block"><code class="chroma language-text display">one\n\ntwo\n</code></pre></div></dd>\n</dl>',
  ],
  [
    't\n: one\n\n  t\n  : two\n\n  : three',
    '<dl>\n<dt>t</dt>\n<dd>\n<p>one</p>\n<dl>\n<dt>t</dt>\n<dd>two</dd>\n<dd>\n<p>three</p></dd>\n</dl></dd>\n</dl>',
  ],
  ['t\n:', '<p>t\n:</p>'],
  ['t\n: \n\nafter', '<p>t\n:</p>\n<p>after</p>'],
  ['t\n: one\n:\n\n: two', '<dl>\n<dt>t</dt>\n<dd>one\n:</dd>\n<dd>\n<p>two</p></dd>\n</dl>'],
  [':', '<p>:</p>'],
  ['t\n:one', '<p>t\n:one</p>'],
] as const

for (const [first, next, before, after] of containers)
  for (const [text, expected] of cases)
    test(`definitions: ${JSON.stringify(first + text)}`, () => {
      const inside = first + text.replaceAll('\n', `\n${next}`)
      assert.equal(rendered(inside), `${before}${expected}\n${after}`)
    })
