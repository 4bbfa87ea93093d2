import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { until } from '../../support/wait.ts'

const app = await startApp()
const { call, make } = app
const ada = await make.person({ name: 'Ada' })
await make.person({ name: 'hidden', visibility: 'private' })

const markdown = (body: unknown) => call('POST /api/v1/markdown', { as: ada, body })
const markup = (body: unknown) => call('POST /api/v1/markup', { as: ada, body })

for (const literal of ['POST /markdown', 'POST /markdown/raw', 'POST /markup']) {
  test(`${literal} needs a signed-in caller`, async () => {
    const { status, body } = await call(literal.replace(' ', ' /api/v1'), { body: {} })
    assert.equal(status, 401)
    assert.equal(body.message, 'token is required')
  })

  test(`${literal} renders an empty text as an empty text`, async () => {
    const body = literal.endsWith('raw') ? '' : {}
    const { status, body: html } = await call(literal.replace(' ', ' /api/v1'), { as: ada, body })
    assert.equal(status, 200)
    assert.equal(html, '')
  })
}

test('POST /markdown renders, without anything that could run', async () => {
  const { status, headers, body } = await markdown({
    Text: '# Hi\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1)) **bold**',
  })
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
  assert.match(body, /<strong>bold<\/strong>/)
  assert.doesNotMatch(body, /<script|href="?javascript/i)
})

test('POST /markdown of one caller does not wait for all requests of another', async () => {
  const grace = await make.person({ name: 'Grace' })
  let served = 0
  const many = Array.from({ length: 48 }, async (_, at) => {
    const { status } = await markdown({ Text: `${'- *a*\n'.repeat(100)}${at}` })
    assert.equal(status, 200)
    served++
  })
  await until('some are served', () => served > 2)
  const { body } = await call('POST /api/v1/markdown', { as: grace, body: { Text: 'mine' } })
  assert.match(body, />mine</)
  assert.ok(served < 36, `${served} were served before`)
  await Promise.all(many)
})

test('POST /markdown links mentions of public accounts only', async () => {
  const { body } = await markdown({
    Text: 'hello @Ada, @hidden and @nobody',
    Mode: 'comment',
    Context: 'o/r',
  })
  assert.match(body, /<a[^>]+href="https:\/\/forgehall\.example\/Ada"[^>]*>@Ada<\/a>/)
  assert.doesNotMatch(body, /<a[^>]*>@hidden/)
  assert.doesNotMatch(body, /<a[^>]*>@nobody/)
})

test('POST /markdown reads members in any case, and forms', async () => {
  assert.match((await markdown({ text: '**a**', mode: 'comment' })).body, /<strong>a<\/strong>/)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const { body } = await call('POST /api/v1/markdown', { as: ada, body: 'text=**b**', headers })
  assert.match(body, /<strong>b<\/strong>/)
})

test('a NUL is dropped, and in the plain mode the replacement character stands for it', async () => {
  for (const body of [
    await markdown({ Text: 'a\0b', Mode: 'gfm' }),
    await markup({ Text: 'a\0b', Mode: 'file', FilePath: 'x.md', Context: 'o/r\0/x' }),
    await call('POST /api/v1/markdown', {
      as: ada,
      body: 'text=a%00b&mode=comment',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  ]) {
    assert.deepEqual([body.status, body.body], [200, '<p dir="auto">ab</p>\n'])
  }
  for (const { status, body } of [
    await markdown({ Text: 'a\0b' }),
    await call('POST /api/v1/markdown/raw', {
      as: ada,
      body: 'a\0b',
      headers: { 'content-type': 'text/plain' },
    }),
  ]) {
    assert.deepEqual([status, body], [200, '<p dir="auto">a\ufffdb</p>\n'])
  }
  assert.equal((await markdown({ Text: '\ud800' })).status, 422)
})

test('POST /markdown/raw reads text as it is, whatever its content type', async () => {
  for (const type of ['text/plain', 'application/json', 'application/octet-stream']) {
    const headers = { 'content-type': type }
    const { status, body } = await call('POST /api/v1/markdown/raw', { as: ada, body: '{"*a*": 1}', headers })
    assert.equal(status, 200, type)
    assert.match(body, /<em>a<\/em>/)
  }
})

test('POST /markup renders by the name of the file', async () => {
  const { body } = await markup({
    Text: 'a,b\n1,2',
    Mode: 'file',
    FilePath: 'x.csv',
    Context: 'o/r/src/branch/main',
  })
  assert.match(body, /<table/)
})

test('POST /markdown prefixes the names in a text, so that they differ from those of the page', async () => {
  const Text = '<a name="x" id="y">z</a> <img name="cookie" src="a.png"> <p id="body">t</p>'
  for (const Mode of ['gfm', 'comment', 'wiki', '', 'markdown']) {
    const { body } = await markdown({ Text, Mode, Context: 'o/r' })
    assert.deepEqual(body.match(/ (?:id|name)="[^"]*"/g), [
      ' name="user-content-x"',
      ' id="user-content-y"',
      ' name="user-content-cookie"',
      ' id="user-content-body"',
    ])
  }
})

test('POST /markdown/raw keeps links and references to the names of a text', async () => {
  const body =
    '# T {#top}\n\n<span name="getElementById" id="b">x</span> [a](#b) [c](#other) [d](#top)\n\n' +
    '<img src="x" usemap="#m"><map name="m"><area href="y"></map> <label for="b">l</label>' +
    ' <td headers="b c">x</td><p aria-labelledby="b user-content-c">y</p>'
  const { body: html } = await call('POST /api/v1/markdown/raw', {
    as: ada,
    body,
    headers: { 'content-type': 'text/plain' },
  })
  assert.deepEqual(html.match(/ (?:id|name|href|usemap|for|headers|aria-labelledby)="[^"]*"/g), [
    ' id="user-content-top"',
    ' name="user-content-getElementById"',
    ' id="user-content-b"',
    ' href="#user-content-b"',
    ' href="#other"',
    ' href="#user-content-top"',
    ' usemap="#user-content-m"',
    ' name="user-content-m"',
    ' href="y"',
    ' for="user-content-b"',
    ' aria-labelledby="user-content-b user-content-c"',
  ])
})

test('POST /markdown lets links open a new window and no named one', async () => {
  for (const Mode of ['', 'gfm', 'comment', 'wiki']) {
    for (const target of ['_top', '_parent', '_self', 'main', '', ' _blank']) {
      const { body } = await markdown({ Text: `<a href="http://x.example" target="${target}">y</a>`, Mode })
      assert.match(body, /<a href="http:\/\/x\.example" rel="nofollow">y<\/a>/, target)
    }
    const { body } = await markdown({ Text: '<a href="http://x.example" target="_BLANK">y</a>', Mode })
    assert.match(body, /<a href="http:\/\/x\.example" target="_blank" rel="nofollow noopener">/)
  }
})

test('POST /markdown drops addresses of files and of objects of a page', async () => {
  for (const Mode of ['', 'gfm', 'comment', 'wiki']) {
    for (const scheme of ['blob', 'file', 'filesystem', 'FILE', 'fi\tle', 'vbscript']) {
      const Text = `<a href="${scheme}:x">y</a> <img src="${scheme}://host/x"> <a href="filer:x">z</a>`
      const { body } = await markdown({ Text, Mode })
      assert.deepEqual(body.match(/ (?:href|src)="[^"]*"/g), [' href="filer:x"'], scheme)
    }
  }
})

test('POST /markdown does not nest links in a link that is written as HTML', async () => {
  const Text = '<a href="https://a.example/x">see https://b.example</a> https://c.example'
  const { body } = await markdown({ Text, Mode: 'gfm' })
  assert.match(body, /<a href="https:\/\/a\.example\/x" rel="nofollow">see https:\/\/b\.example<\/a>/)
  assert.match(body, /<a href="https:\/\/c\.example" data-markdown-generated-content="" rel="nofollow">/)
})

test('POST /markdown describes emoji of every colour', async () => {
  const { body } = await markdown({ Text: '\u{1f44d}\u{1f3fd} \u{1f44d} \u{1f3fd}', Mode: 'gfm' })
  assert.deepEqual(
    [...body.matchAll(/aria-label="(.*?)"/g)].map(([, label]) => label),
    ['thumbs up: medium skin tone', 'thumbs up'],
  )
})

test('POST /markdown renders texts full of marks that open or close nothing', async () => {
  for (const part of [']', '$$a ', '*a**']) {
    const { status } = await markdown({ Text: part.repeat(24_000 / part.length), Mode: 'comment' })
    assert.equal(status, 200, part)
  }
})

test('POST /markdown renders an address that goes on behind thousands of punctuation marks', async () => {
  for (const mark of ['!', ')', ']', '&', '*', '_', '~', '?!']) {
    const Text = `http://x/${mark.repeat(50_000)}x`
    const { status, body } = await markdown({ Text, Mode: 'gfm', Context: 'a/b' })
    assert.equal(status, 200, mark)
    assert.match(body, /<a href="http:\/\/x\//, mark)
  }
  const dots = await markdown({ Text: `http://x${'.'.repeat(50_000)}x`, Mode: 'comment' })
  assert.equal(dots.status, 200)
})

test('POST /markup renders formulas in outputs of notebooks, however many dollars they hold', async () => {
  const shown = async (formula: unknown) => {
    const cells = [{ cell_type: 'code', source: '1', outputs: [{ data: { 'text/latex': formula } }] }]
    const { status, body } = await markup({
      Text: JSON.stringify({ cells }),
      Mode: 'file',
      FilePath: 'x.ipynb',
    })
    assert.equal(status, 200)
    return /<code class="language-math display">([^<]*)</.exec(body)?.[1]
  }
  assert.equal(await shown('$$a$b$$'), 'a$b')
  assert.equal(await shown(['$', 'a', '$']), 'a')
  const dollars = '$'.repeat(100_000)
  assert.equal(await shown(`x${dollars}x`), `x${dollars}x`)
  assert.equal(await shown(dollars), '')
})

/** Takes seconds, and is another text for each number. */
const heavy = (at: number) => `${'- a\n'.repeat(100_000)}${at}`

/** Asks without waiting, until the signal ends it. */
async function ask(Text: string, signal: AbortSignal, { authorization } = ada): Promise<number> {
  const headers = { authorization, 'content-type': 'application/json' }
  const body = JSON.stringify({ Text })
  try {
    return (await fetch(`${app.url}/api/v1/markdown`, { method: 'POST', headers, body, signal })).status
  } catch {
    return 499
  }
}

test('POST /markdown of one account leaves a thread to others', async () => {
  const mary = await make.person({ name: 'Mary' })
  const gone = new AbortController()
  let answered = 0
  const requests = [1, 2, 3, 4].map((at) => ask(heavy(at), gone.signal).finally(() => answered++))
  const { status, body } = await call('POST /api/v1/markdown', { as: mary, body: { Text: 'mine' } })
  assert.deepEqual([status, answered], [200, 0])
  assert.match(body, />mine</)
  gone.abort()
  await Promise.all(requests)
})

test('POST /markdown renders nothing for clients that have gone', async () => {
  const zoe = await make.person({ name: 'Zoe' })
  const gone = new AbortController()
  let served = 0
  // Many seconds of work in all.
  const requests = Array.from({ length: 100 }, async (_, at) => {
    const status = await ask(`${'- *a*\n'.repeat(3000)}${at}`, gone.signal, zoe)
    if (status === 200) served++
  })
  await until('some are served, so that the others wait', () => served > 0)
  gone.abort()
  await Promise.all(requests)
  const { status } = await call('POST /api/v1/markdown', { as: zoe, body: { Text: 'mine' } })
  assert.equal(status, 200)
  const left = app.log.lines().filter(({ error }) => error === 'nobody waits for it any more')
  assert.ok(left.length > 0, 'some waited when their clients went')
})

test('POST /markup renders an Org file with hundreds of headings and items', async () => {
  const Text = '* heading\n- item\n\n'.repeat(300)
  const { status, body } = await markup({ Text, Mode: 'file', FilePath: 'notes.org' })
  assert.equal(status, 200)
  assert.equal(body.split('<h2').length - 1, 300)
  assert.equal(body.split('<li>').length - 1, 300)
})

test('POST /markup shows outputs of notebooks with names and links of their own place', async () => {
  const output =
    '<h1 id="main">a</h1><img name="cookie" src="a.png"><a href="b.md">b</a><a href="#main">c</a>'
  const cells = [{ cell_type: 'code', source: '1', outputs: [{ data: { 'text/html': output } }] }]
  const FilePath = 'docs/x.ipynb'
  const Context = 'o/r/src/branch/main/docs'
  const { body } = await markup({ Text: JSON.stringify({ cells }), Mode: 'file', FilePath, Context })
  const [, shown = ''] = body.split('<div class="notebook-output">')
  assert.deepEqual(shown.match(/ (?:id|name|src|href)="[^"]*"/g), [
    ' id="user-content-main"',
    ' href="https://forgehall.example/o/r/src/branch/main/docs/a.png"',
    ' name="user-content-cookie"',
    ' src="https://forgehall.example/o/r/media/branch/main/docs/a.png"',
    ' href="https://forgehall.example/o/r/src/branch/main/docs/b.md"',
    ' href="#user-content-main"',
  ])
})

test('POST /markdown reads a style with a million blanks like any other', async () => {
  const blanks = ' '.repeat(1_000_000)
  const { status, body } = await markdown({
    Text: `<p style="color:${blanks}red${blanks};color:${blanks}x*">a</p>`,
  })
  assert.equal(status, 200)
  assert.match(body, /<p style="color: red"[^>]*>a<\/p>/)
})

test('POST /markup refuses a file without a renderer, with a line of text', async () => {
  const { status, headers, body } = await markup({ Text: 'x', Mode: 'file', FilePath: 'x.bin' })
  assert.equal(status, 422)
  assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.equal(body, 'unable to find a render\n')
})

test('POST /markdown refuses modes that do not exist, with a line of text', async () => {
  for (const Mode of ['GFM', 'nonsense', ' ']) {
    const { status, body } = await markdown({ Text: 'x', Mode })
    assert.equal(status, 422)
    assert.equal(body, `unsupported render mode: ${Mode}\n`)
  }
})

for (const body of ['{', '[]', '"x"', '{"Text":1}', '{"Text":["x"]}', '{"Wiki":"true"}']) {
  test(`POST /markup refuses ${body} as every body that cannot be read`, async () => {
    const { status, body: refusal } = await markup(body)
    assert.equal(status, 422)
    assert.match(refusal.message, /^\[\]: /)
  })
}

test('POST /markdown/raw refuses a body that is not UTF-8', async () => {
  const response = await fetch(`${app.url}/api/v1/markdown/raw`, {
    method: 'POST',
    headers: { authorization: ada.authorization, 'content-type': 'text/plain' },
    body: Buffer.from([0x61, 0xff, 0xfe]),
  })
  assert.equal(response.status, 422)
})

test('POST /markdown/raw renders or refuses 8 MiB, and continues to serve', async () => {
  const large = call('POST /api/v1/markdown/raw', { as: ada, body: 'word '.repeat(1_600_000) })
  assert.equal((await call('GET /api/health')).status, 200)
  assert.ok([200, 422].includes((await large).status))
})

test('POST /markdown renders or refuses 20 MiB, like every other size', async () => {
  for (const Text of ['word '.repeat(4_000_000), '\\"'.repeat(10_000_000)]) {
    const { status } = await markdown({ Text, Mode: 'nonsense' })
    assert.equal(status, 422)
  }
})
