import { code, type Example, gfm, iconless, info, plain, root, tableIcon } from './example.ts'

/** What the dialect of Markdown adds, and decoration. */
export const syntax: readonly Example[] = [
  {
    name: 'task lists say where their boxes stand',
    text: '- [ ] unchecked\n- [x] checked',
    request: gfm,
    html: '<ul>\n<li class="task-list-item"><input type="checkbox" disabled="" data-source-position="2"/>unchecked</li>\n<li class="task-list-item"><input type="checkbox" disabled="" data-source-position="18" checked=""/>checked</li>\n</ul>',
  },
  {
    name: 'only the blank behind a box is dropped',
    text: '\n- [ ] <!-- box --> If you want',
    request: gfm,
    html: '<ul>\n<li class="task-list-item"><input type="checkbox" disabled="" data-source-position="3"/> If you want</li>\n</ul>',
  },
  {
    name: 'definition lists',
    text: 'First Term\n: Definition',
    request: gfm,
    html: '<dl>\n<dt>First Term</dt>\n<dd>Definition</dd>\n</dl>',
  },
  {
    name: 'footnotes',
    text: 'Text,[^1]\n\n[^1]: The note.',
    request: gfm,
    html: '<p>Text,<sup id="fnref:user-content-1"><a href="#fn:user-content-1" rel="nofollow">1 </a></sup></p>\n<div>\n<hr/>\n<ol>\n<li id="fn:user-content-1">\n<p>The note. <a href="#fnref:user-content-1" rel="nofollow">↩︎</a></p>\n</li>\n</ol>\n</div>',
  },
  {
    name: 'a heading with its own id',
    text: '## More tests {#custom-id}',
    request: gfm,
    html: '<h2 id="user-content-custom-id">More tests</h2>',
  },
  ...['js', 'js:app.ts', 'js,ignore', 'js ignore'].map((language) => ({
    name: `a code block: ${language}`,
    text: `\`\`\`${language}\ncode\n\`\`\``,
    request: gfm,
    html: code('js', 'code\n'),
    differs: 'our highlighter leaves names it knows nothing about unmarked',
  })),
  {
    name: 'an indented code block',
    text: '    <script>alert(1)</script>',
    request: gfm,
    html: '<div class="code-block-container code-overflow-scroll"><pre class="code-block"><code>&lt;script&gt;alert(1)&lt;/script&gt;\n</code></pre></div>',
  },
  {
    name: 'a colour shows itself',
    text: '`#FF0000`',
    request: gfm,
    html: '<p><code>#FF0000<span class="color-preview" style="background-color: #FF0000"></span></code></p>',
  },
  {
    name: 'an alert',
    text: '> [!NOTE]\n> text',
    request: gfm,
    html: `<blockquote class="attention-header attention-note"><p>${info}<strong class="attention-note">Note</strong></p>\n<p>text</p>\n</blockquote>`,
    differs: iconless,
  },
  { name: 'a formula', text: '$a$', request: gfm, html: '<p><code class="language-math">a</code></p>' },
  ...['a$x$', '$x$a', '.$a$'].map((text) => ({ name: `no formula: ${text}`, ...plain(text), request: gfm })),
  {
    name: 'a formula inside a word',
    text: 'a$`b`$c',
    request: gfm,
    html: '<p>a<code class="language-math">b</code>c</p>',
  },
  {
    name: 'front matter',
    text: '---\nkey1: val1\nkey2: val2\n---\ntest',
    request: gfm,
    html: `<details class="frontmatter-content"><summary>${tableIcon} key1, key2</summary><table><thead><tr><th>key1</th><th>key2</th></tr></thead><tbody><tr><td>val1</td><td>val2</td></tr></tbody></table></details>\n<p>test</p>`,
    differs: iconless,
  },
  {
    name: 'a list between rules is no front matter',
    text: '---\n- item1\n- item2\n---\ntest',
    request: gfm,
    html: '<hr/>\n<ul>\n<li>item1</li>\n<li>item2</li>\n</ul>\n<hr/>\n<p>test</p>',
  },
  {
    name: 'decoration gives the outer list a direction',
    text: '* a\n  * b',
    request: { ...gfm, decorate: true },
    html: '<ul dir="auto">\n<li>a\n<ul>\n<li>b</li>\n</ul>\n</li>\n</ul>',
  },
  {
    name: 'decoration lets images wait; one inside an anchor gets no link',
    text: `<a><img src='a.jpg'></a>`,
    request: { mode: 'comment', context: 'user3/repo5', decorate: true },
    html: `<p dir="auto"><img src="${root}/user3/repo5/a.jpg" loading="lazy"/></p>`,
  },
]
