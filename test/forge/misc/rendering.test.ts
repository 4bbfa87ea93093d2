import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { makersFor } from '../../support/forge/make.ts'

const app = await startApp()
const ada = await makersFor(app).person({ name: 'Ada' })
const root = 'https://forgehall.example'

/** The HTML of a text in mode `gfm`, or of a file. */
async function shown(Text: string, FilePath = ''): Promise<string> {
  const body = { Text, FilePath, Mode: FilePath ? 'file' : 'gfm', Context: 'o/r/src/branch/main' }
  const { status, body: html } = await app.call('POST /api/v1/markup', { as: ada, body })
  assert.equal(status, 200, Text)
  return html
}

const paragraph = (content: string) => `<p dir="auto">${content}</p>\n`
const formula = (content: string) => `<code class="language-math">${content}</code>`

test('POST /markup makes alerts of emphasized words in any case, and keeps what stands behind them', async () => {
  for (const text of ['> **NOTE**: x', '> **note**: x', '> *Note*: x']) {
    const html = await shown(text)
    assert.match(html, /^<blockquote class="attention-header attention-note"><p[^>]*><svg /)
    assert.match(html, /<strong class="attention-note">Note<\/strong><\/p>\n<p dir="auto">: x<\/p>/)
  }
  for (const text of ['> **NOTE: x**', '> x **NOTE**', '> `NOTE`', '> **NOTES**'])
    assert.doesNotMatch(await shown(text), /attention/, text)
})

test('POST /markup links mail addresses from their first letter, if their domain has no empty label', async () => {
  const link = (address: string) =>
    `<a href="mailto:${address}" data-markdown-generated-content="" rel="nofollow">${address}</a>`
  for (const [text, expected] of [
    ['?a@d.zz', `?${link('a@d.zz')}`],
    ['x ..a.b+c@d-e.f.zz.', `x ..${link('a.b+c@d-e.f.zz')}.`],
    ['_a@d.zz', link('_a@d.zz')],
    ['a@b..com', 'a@b..com'],
    ['a@-b.com', 'a@-b.com'],
    ['a@b-.com', 'a@b-.com'],
    ['@d.zz ?@d.zz', '@d.zz ?@d.zz'],
    [`${'a'.repeat(70)}@d.zz`, `${'a'.repeat(70)}@d.zz`],
    [`${'?'.repeat(70)}a@d.zz`, `${'?'.repeat(70)}a@d.zz`],
  ] as const)
    assert.equal(await shown(text), paragraph(expected), text)
})

test('POST /markup takes an empty option of a short link for none', async () => {
  const picture = async (options: string) =>
    / (title=.*) loading/.exec(await shown(`[[d/x.png|${options}]]`))?.[1]
  assert.equal(await picture('title='), 'title="x.png" alt="d/x.png"')
  assert.equal(await picture('alt=""|title='), 'title="x.png" alt="d/x.png"')
  assert.equal(await picture('alt=A|title='), 'title="A" alt="A"')
  assert.equal(await picture('alt=|title=T'), 'title="T" alt="d/x.png"')
})

test('POST /markup ends formulas before a blank, a dollar, a bracket or a mark of a sentence', async () => {
  for (const [text, expected] of [
    ['$a$$b$', formula('a') + formula('b')],
    ['[$c$]', '[$c$]'],
    ['$c$]', '$c$]'],
    ['$$c$$]', '$$c$$]'],
    ['($c$)', `(${formula('c')})`],
    ['$c$. $d$, $e$', `${formula('c')}. ${formula('d')}, ${formula('e')}`],
    ['a$``b``$c', `a${formula('b')}c`],
    ['$`a`$', formula('a')],
    ['$``a`b``$', formula('a`b')],
    ['$``a`$', '$``a`$'],
    ['$`$', '$`$'],
    ['x$a$ $b$y', 'x$a$ $b$y'],
    ['ä$a$', `ä${formula('a')}`],
  ] as const)
    assert.equal(await shown(text), paragraph(expected), text)
  assert.doesNotMatch(await shown(`$${'`'.repeat(9)}a${'`'.repeat(9)}$`), /language-math/)
})

test('POST /markup keeps how formulas in MathML look, and nothing that runs or loads', async () => {
  const math =
    '<math display="block"><mstyle mathcolor="red" scriptlevel="1"><mi mathvariant="normal">x</mi></mstyle>' +
    '<mo stretchy="false" href="http://x">(</mo><mspace width="1em" depth="2px" onclick="x"></mspace>' +
    '<mtable columnalign="left" xlink:href="javascript:x"></mtable></math>'
  const html = await shown(math)
  for (const part of [
    '<math display="block">',
    '<mstyle mathcolor="red" scriptlevel="1">',
    '<mi mathvariant="normal">',
    '<mo stretchy="false">',
    '<mspace width="1em" depth="2px">',
    '<mtable columnalign="left">',
  ])
    assert.ok(html.includes(part), `${part} in ${html}`)
  assert.doesNotMatch(html, /href|onclick/)
  assert.doesNotMatch(
    await shown('<math><annotation-xml encoding="text/html"><p>x</p></annotation-xml></math>'),
    /encoding/,
  )
})

test('POST /markup shows colours whose values are within their bounds', async () => {
  for (const [color, isShown] of [
    ['hsl(0, 100%, 50%)', true],
    ['hsla(360,1%,2%,0.5)', true],
    ['rgb(255, 0, 0)', true],
    ['RGBA(100%, 0%, 0%, 1)', true],
    ['hsl(361, 100%, 50%)', false],
    ['hsl(0, 101%, 50%)', false],
    ['hsl(0, 100, 50)', false],
    ['hsl(0 100% 50%)', false],
    ['hsl(0, 100%, 50%, 0.5)', false],
    ['rgb(256, 0, 0)', false],
    ['rgb(1, 2%, 3)', false],
    ['rgba(1, 2, 3)', false],
    ['rgba(1, 2, 3, 2)', false],
    [`rgb(1,${' '.repeat(80)}2,3)`, false],
  ] as const)
    assert.equal(/color-preview/.test(await shown(`\`${color}\``)), isShown, color)
})

test('POST /markup knows emoji by name up to Emoji 16, and people of every tone of skin', async () => {
  const emoji = async (name: string) => /aria-label="(.*?)">(.*?)</.exec(await shown(`:${name}:`))?.slice(1)
  assert.deepEqual(await emoji('wave'), ['waving hand', '👋'])
  assert.deepEqual(await emoji('wave_dark_skin_tone'), ['waving hand: dark skin tone', '👋🏿'])
  assert.deepEqual(await emoji('+1_Medium-Light_Skin_Tone'), ['thumbs up: medium-light skin tone', '👍🏼'])
  assert.deepEqual(await emoji('running_woman_medium_dark_skin_tone'), [
    'woman running: medium-dark skin tone',
    '🏃🏾‍♀️',
  ])
  assert.deepEqual(await emoji('phoenix'), ['phoenix', '🐦‍🔥'])
  assert.deepEqual(await emoji('fingerprint'), ['fingerprint', '🫆'])
  assert.deepEqual(await emoji('man_with_white_cane_facing_right'), [
    'man with white cane facing right',
    '👨‍🦯‍➡️',
  ])
  for (const name of ['rocket_dark_skin_tone', 'wave_blue_skin_tone', '_dark_skin_tone', 'dark_skin_tone'])
    assert.equal(await emoji(name), undefined, name)
})

const org = (text: string) => shown(text, 'a.org')

test('POST /markup shows the title of an Org file, and its headings below it', async () => {
  const html = await org('#+TITLE: A <b> title\n* One\n***** Five\n****** Six\nx\n')
  assert.match(html, /^<h1>A &lt;b&gt; title<\/h1>/)
  for (const part of [
    '<h2 id="user-content-one">',
    '<h6 id="user-content-five">',
    '<h6 id="user-content-six">',
  ])
    assert.ok(html.includes(part), `${part} in ${html}`)
  assert.doesNotMatch(await org('* One\n'), /<h1/)
})

test('POST /markup shows pictures and videos of an Org file, alone and in descriptions of links', async () => {
  const source = (name: string) => `${root}/o/r/media/branch/main/${name}`
  const picture = `<img src="${source('x.png')}" alt="x.png" loading="lazy"/>`
  const alone = await org('[[x.png]]\n\ntext\n\n[[file:x.mp4]]\n\n[[http://a.example][b]]\n')
  for (const part of [
    `<p><a href="${root}/o/r/src/branch/main/x.png" target="_blank" rel="nofollow noopener">${picture}</a></p>`,
    `<p><video src="${source('x.mp4')}" title="x.mp4" controls="">x.mp4</video>\n</p>`,
    '<p><a href="http://a.example" rel="nofollow">b</a>\n</p>',
  ])
    assert.ok(alone.includes(part), `${part} in ${alone}`)
  const link = (content: string) => `<a href="http://a.example" rel="nofollow">${content}</a>`
  const foreign = '<img src="http://b.example/y.svg" alt="http://b.example/y.svg" loading="lazy"/>'
  for (const [text, expected] of [
    ['[[http://a.example][file:x.png]]', link(picture)],
    ['[[http://a.example][http://b.example/y.svg]]', link(foreign)],
    ['[[http://a.example][before http://b.example/y.svg after]]', link(`before ${foreign} after`)],
    ['[[http://a.example][x.png]]', link('x.png')],
    ['[[http://a.example][javascript:x.png]]', link('javascript:x.png')],
  ] as const) {
    const html = await org(`see ${text}\n`)
    assert.ok(html.includes(expected), `${expected} in ${html}`)
  }
})

test('POST /markup drops a sequence that the end of a console log cuts off, and joins what looks the same', async () => {
  for (const end of ['\x1b', '\x1b[', '\x1b[3', '\x1b[38;5;1', '\x1b]0;title'])
    assert.equal(
      await shown(`\x1b[31ma\x1b[0mb\n${end}`, 'x.sh-session'),
      '<span class="term-fg31">a</span>b<br/>\n',
    )
  assert.equal(
    await shown('\x1b[31ma\x1b[31mb\x1b[0m\x1b[1K\x1b[32mc\x1b[K\x1b[32md', 'x.sh-session'),
    '<span class="term-fg31">ab</span><span class="term-fg32">cd</span>\n',
  )
  const long = `\x1b[31m${'[x'.repeat(2000)}`
  assert.equal(await shown(long, 'x.sh-session'), `<span class="term-fg31">${'[x'.repeat(2000)}</span>\n`)
})
