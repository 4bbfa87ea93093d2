import type { RenderRequest } from '../../src/render/request.ts'

/** One line of the table: a text, how it is rendered, and what comes out (without the final line feed). */
export interface Example {
  readonly name: string
  readonly text: string
  readonly request: Partial<RenderRequest>
  readonly html: string
  /** Why our result is not the one of the forge we are compatible with; `html` is ours. */
  readonly differs?: string
}

const root = 'http://localhost:3000'
const repo = `${root}/user2/repo1`
const accounts = ['r-lyeh', 'user2']
const wiki = { wiki: true, context: '/user2/repo1', knownAccounts: accounts }
const gfm = { mode: 'gfm', context: '/user2/repo1/src/branch/main' }
const comment = { mode: 'comment', context: 'user2/repo1', knownAccounts: accounts }
const raw = { mode: 'markdown' }
const loose = { mode: 'comment' }
const file = (filePath: string, context = '/user2/repo1/src/branch/main') => ({
  mode: 'file',
  filePath,
  context,
})

const hash = '0123456789012345678901234567890123456789'
const base = `88fc37a3c0a4dda553bdcfc80c178a58247f42fb`
const head = `12fc37a3c0a4dda553bdcfc80c178a58247f42fb`
const code = (language: string, inside: string) =>
  `<div class="code-block-container code-overflow-scroll"><pre class="code-block"><code class="chroma language-${language} display">${inside}</code></pre></div>`
const link = (href: string, label: string) => `<p><a href="${href}" rel="nofollow">${label}</a></p>`
const plain = (text: string) => ({ text, html: `<p>${text}</p>` })

const iconless = 'the icons are our own drawings'
const svg = (kind: string, path: string) =>
  `<svg class="${kind}" viewBox="0 0 16 16" ${kind.includes('table') ? 'width="12" height="12"' : 'width="16" height="16"'} aria-hidden="true"><path fill-rule="evenodd" d="${path}"></path></svg>`
const info = svg(
  'attention-icon attention-note svg octicon-info',
  'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1Zm0 1.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM7.2 7h1.6v5H7.2ZM7.2 4h1.6v1.6H7.2Z',
)
const tableIcon = svg(
  'svg octicon-table',
  'M1 2h14v12H1Zm1.5 1.5v2h11v-2Zm0 3.5v2h4.8V7Zm6.3 0v2h4.7V7Zm-6.3 3.5v2h4.8v-2Zm6.3 0v2h4.7v-2Z',
)

/** The behaviour known of the forge whose interface this is, line by line. */
export const examples: readonly Example[] = [
  {
    name: 'a wiki page links pages, accounts that exist and addresses',
    text: 'Wiki! Enjoy :)\n- [[Links, Language bindings, Engine bindings|Links]]\n- [[Tips]]\n- Bezier widget (by @r-lyeh) https://github.com/ocornut/imgui/issues/786',
    request: wiki,
    html: `<p>Wiki! Enjoy :)</p>\n<ul>\n<li><a href="${repo}/wiki/Links" rel="nofollow">Links, Language bindings, Engine bindings</a></li>\n<li><a href="${repo}/wiki/Tips" rel="nofollow">Tips</a></li>\n<li>Bezier widget (by <a href="${root}/r-lyeh" rel="nofollow">@r-lyeh</a>) <a href="https://github.com/ocornut/imgui/issues/786" rel="nofollow">https://github.com/ocornut/imgui/issues/786</a></li>\n</ul>`,
  },
  {
    name: 'a wiki link names its page after the bar',
    text: '[[Guardfile-DSL / Configuring-Guard|Guardfile-DSL---Configuring-Guard]]',
    request: wiki,
    html: link(`${repo}/wiki/Guardfile-DSL---Configuring-Guard`, 'Guardfile-DSL / Configuring-Guard'),
  },
  { name: 'a wiki link', text: '[[Name|Link]]', request: wiki, html: link(`${repo}/wiki/Link`, 'Name') },
  { name: 'nothing is nothing', text: '', request: wiki, html: '' },
  {
    name: 'a heading has an id, a link with a host is left alone',
    text: '## What is Wine Staging?\n**Wine Staging** on website [wine-staging.com](http://wine-staging.com).',
    request: wiki,
    html: '<h2 id="user-content-what-is-wine-staging">What is Wine Staging?</h2>\n<p><strong>Wine Staging</strong> on website <a href="http://wine-staging.com" rel="nofollow">wine-staging.com</a>.</p>',
  },
  {
    name: 'a wiki link to an image shows it',
    text: '[[Configuration]]\n[[images/icon-bug.png]]',
    request: wiki,
    html: `<p><a href="${repo}/wiki/Configuration" rel="nofollow">Configuration</a>\n<a href="${repo}/wiki/images/icon-bug.png" rel="nofollow"><img src="${repo}/wiki/raw/images/icon-bug.png" title="icon-bug.png" alt="images/icon-bug.png"/></a></p>`,
  },
  {
    name: 'gfm resolves links in the source view and images in the media view',
    text: '[Link](test.md)\n![Image](image.png)',
    request: gfm,
    html: `<p><a href="${repo}/src/branch/main/test.md" rel="nofollow">Link</a>\n<a href="${repo}/src/branch/main/image.png" target="_blank" rel="nofollow noopener"><img src="${repo}/media/branch/main/image.png" alt="Image"/></a></p>`,
  },
  {
    name: 'a file resolves them from its directory',
    text: '[Link](test.md)\n![Image](image.png)',
    request: file('path/new-file.md', '/user2/repo1/src/branch/main/path'),
    html: `<p><a href="${repo}/src/branch/main/path/test.md" rel="nofollow">Link</a>\n<a href="${repo}/src/branch/main/path/image.png" target="_blank" rel="nofollow noopener"><img src="${repo}/media/branch/main/path/image.png" alt="Image"/></a></p>`,
  },
  { name: 'markdown knows no wiki links', ...plain('[[Name|Link]]'), request: raw },
  {
    name: 'markdown knows no wiki links with blanks',
    ...plain('[[Guardfile-DSL / Configuring-Guard|Guardfile-DSL---Configuring-Guard]]'),
    request: raw,
  },
  {
    name: 'an address in angle brackets',
    text: '<https://google.com/>',
    request: loose,
    html: link('https://google.com/', 'https://google.com/'),
  },
  {
    name: 'an issue of another repository',
    text: 'test-owner/test-repo#12345',
    request: loose,
    html: `<p><a href="${root}/test-owner/test-repo/issues/12345" class="ref-issue" rel="nofollow">test-owner/test-repo#12345</a></p>`,
  },
  { name: 'a path is no issue', ...plain('/home/gitea/go-gitea/gitea#12345'), request: loose },
  {
    name: 'the address of an issue here is shortened',
    text: `${root}/go-gitea/gitea/issues/12345`,
    request: loose,
    html: `<p><a href="${root}/go-gitea/gitea/issues/12345" class="ref-issue" rel="nofollow">go-gitea/gitea#12345</a></p>`,
  },
  {
    name: 'the address of a comment here is shortened',
    text: `${root}/person/repo/issues/4#issuecomment-1234`,
    request: loose,
    html: `<p><a href="${root}/person/repo/issues/4#issuecomment-1234" class="ref-issue" rel="nofollow">person/repo#4 (comment)</a></p>`,
  },
  {
    name: 'the address of an issue of the same repository is shortened further',
    text: `${repo}/issues/4`,
    request: comment,
    html: `<p><a href="${repo}/issues/4" class="ref-issue" rel="nofollow">#4</a></p>`,
  },
  {
    name: 'the files of a pull request keep their address',
    text: `${repo}/pulls/4/files`,
    request: comment,
    html: link(`${repo}/pulls/4/files`, `${repo}/pulls/4/files`),
  },
  {
    name: 'the address of a file in a commit here is shortened',
    text: `${root}/a/b/commit/${hash}/foo.txt?a=b#L2-L3`,
    request: loose,
    html: link(`${root}/a/b/commit/${hash}/foo.txt?a=b#L2-L3`, '<code>0123456789/foo.txt (L2-L3)</code>'),
  },
  {
    name: 'the address of a patch here is shortened',
    text: `${root}/owner/repo/commit/${hash}.patch?key=val`,
    request: loose,
    html: link(`${root}/owner/repo/commit/${hash}.patch?key=val`, '<code>0123456789.patch</code>'),
  },
  {
    name: 'the address of a comparison here is shortened',
    text: `${root}/o/r/compare/${base}...${head}#hash`,
    request: loose,
    html: link(`${root}/o/r/compare/${base}...${head}#hash`, '<code>88fc37a3c0...12fc37a3c0 (hash)</code>'),
  },
  {
    name: 'a comparison elsewhere is an ordinary link',
    text: `http://example.com/o/r/compare/${base}...${head}#hash`,
    request: loose,
    html: link(
      `http://example.com/o/r/compare/${base}...${head}#hash`,
      `http://example.com/o/r/compare/${base}...${head}#hash`,
    ),
  },
  {
    name: 'a bare address with a query',
    text: 'https://www.example.com/foo/?bar=baz&inga=42&quux',
    request: loose,
    html: link(
      'https://www.example.com/foo/?bar=baz&amp;inga=42&amp;quux',
      'https://www.example.com/foo/?bar=baz&amp;inga=42&amp;quux',
    ),
  },
  {
    name: 'a bare address with its bracket',
    text: 'https://en.wikipedia.org/wiki/URL_(disambiguation)',
    request: loose,
    html: link(
      'https://en.wikipedia.org/wiki/URL_(disambiguation)',
      'https://en.wikipedia.org/wiki/URL_(disambiguation)',
    ),
  },
  ...['www.example.com', 'example.com', 'http://', 'ftps://gitea.com'].map((text) => ({
    name: `no link: ${text}`,
    ...plain(text),
    request: loose,
  })),
  { name: 'a script is no address', text: '[link](javascript:xss)', request: loose, html: '<p>link</p>' },
  {
    name: 'a mail link',
    text: '[link](mailto:test@example.com)',
    request: loose,
    html: link('mailto:test@example.com', 'link'),
  },
  {
    name: 'a mail address',
    text: 'send email to info@gitea.co.uk.',
    request: loose,
    html: '<p>send email to <a href="mailto:info@gitea.co.uk" rel="nofollow">info@gitea.co.uk</a>.</p>',
  },
  {
    name: 'a clone address is no mail address',
    ...plain('git@try.gitea.io:go-gitea/gitea.git'),
    request: loose,
  },
  {
    name: 'a mail address in quotes',
    text: '"info@gitea.com"',
    request: loose,
    html: '<p>&#34;<a href="mailto:info@gitea.com" rel="nofollow">info@gitea.com</a>&#34;</p>',
  },
  {
    name: 'an emoji by its name',
    text: 'Some text with :smile: in the middle',
    request: loose,
    html: '<p>Some text with <span class="emoji" aria-label="grinning face with smiling eyes">😄</span> in the middle</p>',
  },
  ...[':100:200', 'std::thread::something', ':not exist:'].map((text) => ({
    name: `no emoji: ${text}`,
    ...plain(text),
    request: loose,
  })),
  {
    name: 'no emoji in code',
    text: 'foo `:smile:`',
    request: loose,
    html: '<p>foo <code>:smile:</code></p>',
  },
  {
    name: 'an emoji in a link',
    text: '[Link with emoji :moon: in text](https://gitea.io)',
    request: loose,
    html: link(
      'https://gitea.io',
      'Link with emoji <span class="emoji" aria-label="waxing gibbous moon">🌔</span> in text',
    ),
  },
  {
    name: 'a comment has short references, mentions and hard breaks',
    text: '#1\n@user2',
    request: comment,
    html: `<p><a href="${repo}/issues/1" class="ref-issue" rel="nofollow">#1</a><br/>\n<a href="${root}/user2" rel="nofollow">@user2</a></p>`,
  },
  {
    name: 'a file has neither short references nor hard breaks',
    text: '#1\n@user2',
    request: { ...file('a.md'), knownAccounts: accounts },
    html: `<p>#1\n<a href="${root}/user2" rel="nofollow">@user2</a></p>`,
  },
  {
    name: 'a leading slash in a comment means the repository',
    text: '[/test](/test)',
    request: comment,
    html: link(`${repo}/test`, '/test'),
  },
  {
    name: 'a leading slash in a wiki means the wiki',
    text: '![/image](/image)',
    request: wiki,
    html: `<p><a href="${repo}/wiki/image" target="_blank" rel="nofollow noopener"><img src="${repo}/wiki/raw/image" alt="/image"/></a></p>`,
  },
  {
    name: 'nothing climbs above its base',
    text: '![Train](../../.images/src/02/train.jpg)',
    request: { mode: 'comment', context: 'user13/repo11' },
    html: `<p><a href="${root}/user13/repo11/.images/src/02/train.jpg" target="_blank" rel="nofollow noopener"><img src="${root}/user13/repo11/.images/src/02/train.jpg" alt="Train"/></a></p>`,
  },
  {
    name: 'a wiki link to an image with options',
    text: `[[Name|Link Other.jpg|alt="AltName"|title='Title']]`,
    request: comment,
    html: `<p><a href="${repo}/Link+Other.jpg" rel="nofollow"><img src="${repo}/Link+Other.jpg" title="Title" alt="AltName"/></a></p>`,
  },
  {
    name: 'a wiki link with a blank',
    text: '[[Other Link]]',
    request: comment,
    html: link(`${repo}/Other-Link`, 'Other Link'),
  },
  {
    name: 'a wiki link with a question mark',
    text: '[[Link?]]',
    request: comment,
    html: link(`${repo}/Link%3F`, 'Link?'),
  },
  {
    name: 'links in raw HTML are resolved too',
    text: `<a href=foo>link1</a> <a href='/foo'>link2</a> <a href="#foo">link3</a>`,
    request: comment,
    html: `<p><a href="${repo}/foo" rel="nofollow">link1</a> <a href="${repo}/foo" rel="nofollow">link2</a> <a href="#user-content-foo" rel="nofollow">link3</a></p>`,
  },
  {
    name: 'a file name with underscores is no emphasis',
    text: 'https://example.com/__init__.py',
    request: loose,
    html: link('https://example.com/__init__.py', 'https://example.com/__init__.py'),
  },
  { name: 'a path with underscores is no emphasis', ...plain('module/__init__.py'), request: loose },
  {
    name: 'task lists say where their boxes stand',
    text: '- [ ] unchecked\n- [x] checked',
    request: gfm,
    html: '<ul>\n<li class="task-list-item"><input type="checkbox" disabled="" data-source-position="2"/>unchecked</li>\n<li class="task-list-item"><input type="checkbox" disabled="" data-source-position="18" checked=""/>checked</li>\n</ul>',
  },
  {
    name: 'only the blank behind a box is dropped',
    text: '\n- [ ] <!-- rebase-check --> If you want',
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
    request: { mode: 'comment', context: 'user13/repo11', decorate: true },
    html: `<p dir="auto"><img src="${root}/user13/repo11/a.jpg" loading="lazy"/></p>`,
  },
  {
    name: 'event handlers go',
    text: '<a onblur="x" href="http://www.google.com">Google</a>',
    request: raw,
    html: link('http://www.google.com', 'Google'),
  },
  { name: 'hidden inputs go', text: '<input type="hidden">', request: raw, html: '' },
  {
    name: 'check boxes keep their flags',
    text: '<p><input checked disabled autofocus></p>',
    request: raw,
    html: '<p><input checked="" disabled=""></p>',
  },
  {
    name: 'a colour stays on a span',
    text: '<span style="color: red">x</span> <code style="color: red">x</code> <span class="emoji dropdown">x</span>',
    request: raw,
    html: '<p><span style="color: red">x</span> <code>x</code> <span>x</span></p>',
  },
  {
    name: 'schemes that can carry a script go, others stay',
    text: '<a href="vbscript:no">bad</a> <a href="data:1234">bad</a> <a href="matrix:roomid/x?action=join">y</a>',
    request: raw,
    html: '<p>bad bad <a href="matrix:roomid/x?action=join" rel="nofollow">y</a></p>',
  },
  {
    name: 'a script is shown as text where addresses are resolved',
    text: '<script>a</script>',
    request: gfm,
    html: '&lt;script&gt;a&lt;/script&gt;',
  },
  { name: 'a script disappears in the raw modes', text: '<script>a</script>', request: raw, html: '' },
  {
    name: 'separated values',
    text: '1;2\n3;4',
    request: file('a.csv'),
    html: '<table class="data-table"><tr><th class="line-num">1</th><th>1</th><th>2</th></tr><tr><td class="line-num">2</td><td>3</td><td>4</td></tr></table>',
  },
  {
    name: 'Org',
    text: '[[https://google.com/]]\n[[ImageLink.svg][The Image Desc]]',
    request: file('my-dir/a.org', '/user2/repo1/src/commit/1234/my-dir'),
    html: `<p><a href="https://google.com/" rel="nofollow">https://google.com/</a>\n</p><a href="${repo}/src/commit/1234/my-dir/ImageLink.svg" rel="nofollow">The Image Desc</a>`,
    differs: 'the Org parser takes a link to an image on a line of its own for a block, not for text',
  },
  {
    name: 'terminal output',
    text: '\x1b[37m\x1b[40mnpm\x1b[0m \x1b[0m\x1b[32minfo\x1b[0m \x1b[0m\x1b[35mit worked if it ends with\x1b[0m ok',
    request: file('a.sh-session'),
    html: '<span class="term-fg37 term-bg40">npm</span> <span class="term-fg32">info</span> <span class="term-fg35">it worked if it ends with</span> ok',
  },
  ...[
    ['test(0)', 'test0'],
    ['test：6 a', 'test6-a'],
    ['test：ad # df', 'testad--df'],
    ['a-b-c----', 'a-b-c----'],
  ].map(([title = '', id = '']) => ({
    name: `heading id: ${title}`,
    text: `# ${title}`,
    request: gfm,
    html: `<h1 id="user-content-${id}">${title}</h1>`,
  })),
]
