import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createPool } from '../../src/render/pool.ts'
import { render } from '../../src/render/render.ts'
import { assertHarmless } from './danger.ts'
import { html, requestOf } from './request.ts'

const modes = ['markdown', 'gfm', 'comment', 'wiki']

/** The ways in which the name of a scheme was hidden from filters before. */
const schemes = [
  'javascript:alert(1)',
  'JAVASCRIPT:alert(1)',
  ' javascript:alert(1)',
  '\x01javascript:alert(1)',
  'java\tscript:alert(1)',
  'java\nscript:alert(1)',
  'java&#9;script:alert(1)',
  'java&NewLine;script:alert(1)',
  '&#106;&#97;&#118;&#97;script:alert(1)',
  '&#x6a;avascript&colon;alert(1)',
  'javascript&#58alert(1)',
  '&#0000106avascript:alert(1)',
  'vbscript:msgbox(1)',
  'VbScRiPt:msgbox(1)',
  'data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==',
  'DATA:text/html,<script>alert(1)</script>',
  'data:image/svg+xml;base64,PHN2Zy8+',
]

/** Markup that changed its meaning when it was parsed a second time. */
const mutations = [
  '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<math><annotation-xml encoding="text/html"><style></math><img src=x onerror=alert(1)></style></annotation-xml></math>',
  '<svg><foreignObject><p><style><img src=x onerror=alert(1)></style></p></foreignObject></svg>',
  '<svg><desc><noscript></desc></noscript><img src=x onerror=alert(1)></svg>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<select><template><style><!--</style><a rel="--></style></template></select><img id=x tabindex=1 onfocus=alert(1)></a>-->',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<svg><animate attributeName=href values=javascript:alert(1) /><a id=x><circle/></a></svg>',
  '<math href="javascript:alert(1)"><mi>x</mi></math>',
  '<math><maction actiontype="statusline#http://x" xlink:href="javascript:1">x</maction></math>',
  '<svg><script>alert(1)</script><use href="data:image/svg+xml,<svg id=x/>#x"/></svg>',
  '<![CDATA[<img src=x onerror=alert(1)>]]><svg><![CDATA[><img src=x onerror=alert(1)>]]></svg>',
  '<!--><img src=x onerror=alert(1)>--><!--!--><img src=x onerror=alert(1)>',
  '<p style="color:red;background:url(javascript:alert(1))">x</p><p style="color:expression(alert(1))">x</p>',
  '<a href="x" target="_blank" rel="opener">x</a><base href="javascript:/"><meta http-equiv=refresh content="0;javascript:1">',
  '<img src="x` `<script>alert(1)</script>"` `><img """><script>alert(1)</script>">',
  '<textarea></textarea><img src=x onerror=alert(1)></textarea><xmp><img src=x onerror=alert(1)></xmp><plaintext><img src=x onerror=1>',
  '<template><script>alert(1)</script></template><iframe srcdoc="<script>alert(1)</script>"></iframe><object data=javascript:1><embed src=javascript:1>',
]

for (const mode of modes) {
  test(`no disguise of a scheme survives in mode ${mode}`, () => {
    for (const url of schemes)
      for (const text of [
        `[x](${url})`,
        `[x](<${url}>)`,
        `![x](${url})`,
        `<${url}>`,
        `[x]: ${url}\n\n[x]`,
        `[[x|${url}]]`,
        `<a href="${url}">x</a>`,
        `<a href='${url}'>x</a>`,
        `<img src="${url}">`,
        `<area href="${url}">`,
        `<video src="${url}"></video>`,
        `<blockquote cite="${url}">x</blockquote>`,
        `<source srcset="${url} 1x">`,
        `<svg><a href="${url}" xlink:href="${url}">x</a></svg>`,
        `<div action="${url}">`,
      ])
        assertHarmless(html(render(requestOf(text, { mode, context: 'a/b' }))), text)
  })

  test(`no mutation survives in mode ${mode}`, () => {
    for (const text of mutations) assertHarmless(html(render(requestOf(text, { mode }))), text)
  })
}

test('the context cannot smuggle anything into links', () => {
  for (const context of [
    'javascript:alert(1)//x/y',
    '"><script>/x',
    'a/b/src/branch/"><img src=x onerror=1>',
    '//evil.example',
    '../../x',
    '%/%',
  ])
    for (const mode of modes) {
      const output = html(render(requestOf('[x](y) ![z](w) #1', { mode, context })))
      assertHarmless(output, context)
      if (mode !== 'markdown') assert.match(output, /href="http:\/\/localhost:3000\//)
    }
})

const pool = createPool({ workers: 1, timeLimit: 4000, memory: 256 })
after(() => pool.close())

const huge: [string, string][] = [
  ['eight megabytes of words', 'some words and a [link](x) in *a line*\n\n'.repeat(200_000)],
  ['eight megabytes of one letter', 'a'.repeat(8_000_000)],
  ['eight megabytes of line ends', '\n'.repeat(8_000_000)],
  ['100,000 brackets', '['.repeat(100_000)],
  ['100,000 pairs of brackets', '['.repeat(100_000) + ']'.repeat(100_000)],
  ['100,000 block quotes', '>'.repeat(100_000)],
  ['100,000 elements inside each other', '<b>'.repeat(100_000)],
  ['100,000 divisions inside each other', '<div>'.repeat(100_000)],
]

const clean = ['timeout', 'memory', 'depth', 'size']

for (const [name, text] of huge)
  test(`${name} end with a result or a clear refusal`, async () => {
    const outcome = await pool.run(requestOf(text, { mode: 'gfm' }))
    assert.ok(outcome.ok || clean.includes(outcome.fault.reason), JSON.stringify(outcome))
    assert.equal(html(await pool.run(requestOf('still here'))), '<p>still here</p>\n')
  })

test('notebooks of garbage are no notebooks, or show what can be read', () => {
  for (const text of [
    '',
    '{',
    '[]',
    'null',
    '"x"',
    '{"cells":{}}',
    '['.repeat(10_000),
    '{"cells":[[[]]],"metadata":7}',
    '{"cells":[{"cell_type":"code","outputs":[{"data":{"image/png":{"a":1}}}]}]}',
  ]) {
    const outcome = render(requestOf(text, { mode: 'file', filePath: 'x.ipynb' }))
    if (outcome.ok) assertHarmless(outcome.value.html, text)
    else assert.equal(outcome.fault.reason, 'renderer')
  }
})

test('lone surrogates and replacement characters are text', () => {
  for (const text of ['\ud800', 'a\udfffb', '\ufffd\ufffd', '[x](\ud800) ![\udc00](\udc00) [[\ud800]]'])
    for (const mode of modes) assertHarmless(html(render(requestOf(text, { mode }))), text)
})
