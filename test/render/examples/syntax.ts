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
    name: 'front matter shows a row for each entry of a list, and values as they are written',
    text: '----  \na: [1.10, ~, {b: 2020-01-01}]\nc: true\nd:\n ---\ntest',
    request: gfm,
    html: `<details class="frontmatter-content"><summary>${tableIcon} a, c, d</summary><table><thead><tr><th>a</th><th>c</th><th>d</th></tr></thead><tbody><tr><td><table><tbody><tr><td>1.10</td></tr><tr><td>~</td></tr><tr><td><table><thead><tr><th>b</th></tr></thead><tbody><tr><td>2020-01-01</td></tr></tbody></table></td></tr></tbody></table></td><td>true</td><td></td></tr></tbody></table></details>\n<p>test</p>`,
    differs: iconless,
  },
  {
    name: 'front matter with its own settings for this forge',
    text: '---\ngitea: {meta: Table, lang: de}\n---\ntest',
    request: gfm,
    html: '<div lang="de"><table><thead><tr><th>gitea</th></tr></thead><tbody><tr><td><table><thead><tr><th>meta</th><th>lang</th></tr></thead><tbody><tr><td>Table</td><td>de</td></tr></tbody></table></td></tr></tbody></table>\n<p>test</p></div>',
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
  ...(
    [
      [
        '> a\n>\n> - b',
        '<blockquote>\n<p dir="auto">a</p>\n<ul dir="auto">\n<li>b</li>\n</ul>\n</blockquote>',
      ],
      [
        '- > - a',
        '<ul dir="auto">\n<li>\n<blockquote>\n<ul dir="auto">\n<li>a</li>\n</ul>\n</blockquote>\n</li>\n</ul>',
      ],
      [
        '- > a\n  > - b',
        '<ul dir="auto">\n<li>\n<blockquote>\n<p dir="auto">a</p>\n<ul>\n<li>b</li>\n</ul>\n</blockquote>\n</li>\n</ul>',
      ],
      ['> > a', '<blockquote>\n<blockquote dir="auto">\n<p dir="auto">a</p>\n</blockquote>\n</blockquote>'],
      ['1. a\n\n   b', '<ol dir="auto">\n<li>\n<p dir="auto">a</p>\n<p dir="auto">b</p>\n</li>\n</ol>'],
      ['3. a', '<ol dir="auto" start="3">\n<li>a</li>\n</ol>'],
      [
        '- a\n\nb\n\n- c',
        '<ul dir="auto">\n<li>a</li>\n</ul>\n<p dir="auto">b</p>\n<ul dir="auto">\n<li>c</li>\n</ul>',
      ],
      ['<p>a</p>\n<ul><li>b</li></ul>', '<p>a</p>\n<ul><li>b</li></ul>'],
      [
        '<details>\n\na\n\n- b\n\n</details>',
        '<details>\n<p dir="auto">a</p>\n<ul dir="auto">\n<li>b</li>\n</ul>\n</details>',
      ],
      [
        '# a\n\n|b|\n|-|',
        '<h1 id="user-content-a">a</h1>\n<table>\n<thead>\n<tr>\n<th>b</th>\n</tr>\n</thead>\n</table>',
      ],
    ] as const
  ).map(([text, html]) => ({
    name: `what decoration gives a direction: ${text}`,
    text,
    request: { ...gfm, decorate: true },
    html,
  })),
  {
    name: 'decoration gives both paragraphs of an alert a direction',
    text: '> [!NOTE]\n> text',
    request: { ...gfm, decorate: true },
    html: `<blockquote class="attention-header attention-note"><p dir="auto">${info}<strong class="attention-note">Note</strong></p>\n<p dir="auto">text</p>\n</blockquote>`,
    differs: iconless,
  },
  {
    name: 'decoration also gives it where line ends are breaks',
    text: 'a\nb\n\n- c\n  d',
    request: { mode: 'comment', decorate: true },
    html: '<p dir="auto">a<br/>\nb</p>\n<ul dir="auto">\n<li>c<br/>\nd</li>\n</ul>',
  },
  {
    name: 'decoration lets images wait; one inside an anchor gets no link',
    text: `<a><img src='a.jpg'></a>`,
    request: { mode: 'comment', context: 'user3/repo5', decorate: true },
    html: `<p dir="auto"><img src="${root}/user3/repo5/a.jpg" loading="lazy"/></p>`,
  },
]
