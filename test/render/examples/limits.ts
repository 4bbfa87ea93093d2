import { type Example, file, gfm, link, raw, repo } from './example.ts'

/** What the sanitiser leaves, the formats of files, and ids of headings. */
export const limits: readonly Example[] = [
  {
    name: 'event handlers go',
    text: '<a onblur="x" href="http://www.example.com">Example</a>',
    request: raw,
    html: link('http://www.example.com', 'Example'),
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
    text: '[[https://example.com/]]\n[[ImageLink.svg][The Image Desc]]',
    request: file('my-dir/a.org', '/user2/repo1/src/commit/1234/my-dir'),
    html: `<p><a href="https://example.com/" rel="nofollow">https://example.com/</a>\n</p><p><a href="${repo}/src/commit/1234/my-dir/ImageLink.svg" rel="nofollow">The Image Desc</a></p>`,
    differs: 'the Org parser takes a link to an image on a line of its own for a block, not for text',
  },
  {
    name: 'terminal output',
    text: '\x1b[37m\x1b[40mmake\x1b[0m \x1b[0m\x1b[32minfo\x1b[0m \x1b[0m\x1b[35mall tests end with\x1b[0m ok',
    request: file('a.sh-session'),
    html: '<span class="term-fg37 term-bg40">make</span> <span class="term-fg32">info</span> <span class="term-fg35">all tests end with</span> ok',
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
