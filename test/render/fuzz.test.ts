import { test } from 'node:test'
import * as fc from 'fast-check'
import { render } from '../../src/render/render.ts'
import { assertHarmless } from './danger.ts'
import { requestOf } from './request.ts'

/** Parts of what people tried on renderers, and the syntax around it. */
const pieces = [
  ...[
    '<',
    '>',
    '"',
    "'",
    '`',
    '&',
    '/',
    '=',
    ' ',
    '\n',
    '\n\n',
    '\t',
    '\0',
    '\\',
    '[',
    ']',
    '(',
    ')',
    '!',
    '$',
    '$$',
    '|',
    ':',
  ],
  ...[
    '#',
    '*',
    '_',
    '~~',
    '- ',
    '1. ',
    '> ',
    '> [!NOTE]\n',
    '---\n',
    '```',
    '```js\n',
    '[^1]',
    '[^1]: ',
    '[x]: ',
    '{#',
    '}',
    ': ',
  ],
  ...[
    '<script>',
    '</script>',
    '<style>',
    '</style>',
    '<svg>',
    '</svg>',
    '<math>',
    '</math>',
    '<mtext>',
    '<mglyph>',
    '<annotation-xml encoding="text/html">',
  ],
  ...[
    '<table>',
    '<tr>',
    '<td>',
    '</table>',
    '<p>',
    '</p>',
    '<a href=',
    '<img src=',
    '<form>',
    '<input type=',
    '<select>',
    '<option>',
    '<textarea>',
  ],
  ...[
    '<title>',
    '</title>',
    '<noscript>',
    '<noembed>',
    '<xmp>',
    '<plaintext>',
    '<iframe srcdoc=',
    '<template>',
    '<foreignObject>',
    '<desc>',
    '<!--',
    '-->',
    '--!>',
    '<![CDATA[',
    ']]>',
    '<?',
    '<%',
  ],
  ...[
    ' onerror=alert(1) ',
    ' onload=alert(1)',
    'x onmouseover="alert(1)"',
    ' style="color: red; background:url(javascript:1)"',
    ' class="emoji" ',
    ' id=x name=y ',
    ' srcset="javascript:1 1x"',
  ],
  ...[
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\tscript:alert(1)',
    'java\nscript:',
    '\x01javascript:1',
    '&#106;avascript:',
    '&#x6A;avascript&colon;1',
    'javascript&Tab;:',
    'vbscript:x',
    'data:text/html,<script>1</script>',
    'data:image/svg+xml;base64,AAAA',
    ' javascript:',
    '//x.example',
    'http://x.example/',
    'https://a.b/c_d_',
  ],
  ...[
    '[[',
    ']]',
    '[[a|b.png|alt="',
    '@user2',
    '#12',
    'a/b#1',
    'a/b@0123456789',
    'x@y.zz',
    ':smile:',
    '😄',
    '`#fff`',
    '`rgb(1,2,3)`',
  ],
  ...[
    '* a\n** b\n',
    '#+BEGIN_EXPORT html\n',
    '#+END_EXPORT\n',
    '[[javascript:1][x]]',
    '\x1b[31m',
    '\x1b[0m',
    '\x1b]8;;javascript:1\x07',
    ';',
    ',',
    '\r\n',
  ],
]

const hostile = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...pieces) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''))

const way = fc.constantFrom(
  { mode: 'markdown' },
  { mode: 'gfm' },
  { mode: 'comment' },
  { mode: 'wiki' },
  ...['a.md', 'a.org', 'a.csv', 'a.sh-session', 'a.ipynb'].map((filePath) => ({ mode: 'file', filePath })),
)

const context = fc.oneof(fc.constantFrom('', 'user2/repo1', 'user2/repo1/src/branch/main'), hostile)

/** A notebook that carries the text in every place where text may stand. */
function notebook(text: string): string {
  const data = { 'text/html': text, 'image/png': text, 'text/plain': text, 'text/latex': text }
  const outputs = [
    { output_type: 'display_data', data },
    { output_type: 'stream', text },
    { output_type: 'error', traceback: [text] },
  ]
  const cells = [
    { cell_type: 'markdown', source: text },
    { cell_type: 'code', source: [text], outputs },
    { cell_type: text, source: text },
  ]
  return JSON.stringify({ cells, metadata: { language_info: { name: text } } })
}

const runs = { numRuns: 20_000, interruptAfterTimeLimit: 10_000 }

test('no text in any mode throws or leaves anything that runs', () => {
  const property = fc.property(hostile, way, context, fc.boolean(), (text, changes, place, decorate) => {
    const source = 'filePath' in changes && changes.filePath.endsWith('ipynb') ? notebook(text) : text
    const outcome = render(
      requestOf(source, { ...changes, context: place, decorate, knownAccounts: ['user2'] }),
    )
    if (outcome.ok) assertHarmless(outcome.value.html, JSON.stringify({ text, changes, place }))
  })
  // biome-ignore lint/nursery/noFloatingPromises: only the assertion of an asynchronous property is a promise
  fc.assert(property, runs)
})
