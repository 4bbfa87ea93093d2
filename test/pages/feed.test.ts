import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { browserOf, hostile, root } from './browser.ts'
import { manageIn } from './managing.ts'

const app = await startApp()
const { url, call, clock } = app
const { get, page } = browserOf(url)
const editor = await manageIn(app)
const fresh = '/overview/manage/posts/new'

/** The feed, which must be well-formed XML. */
async function feed(): Promise<string> {
  const response = await get('/feed.atom')
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'application/atom+xml; charset=utf-8')
  const text = await response.text()
  holdXml(text)
  return text
}

const declaration = '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'

/** Each tag is closed in its turn, and there is no other markup and no character that XML does not allow. */
function holdXml(text: string): void {
  assert.ok(text.startsWith(declaration))
  const open: string[] = []
  const tag = /<(\/?)([a-z]+)((?: [a-z:]+="[^"<>]*")*)(\/?)>/g
  const rest = text.slice(text.indexOf('\n')).replace(tag, (_, ending, name, _attributes, closed) => {
    if (ending) assert.equal(open.pop(), name)
    else if (!closed) open.push(name)
    return ''
  })
  assert.deepEqual(open, [])
  assert.doesNotMatch(rest, /[<>]/)
  assert.doesNotMatch(text, /&(?!(?:amp|lt|gt|#34|#39);)/)
  assert.doesNotMatch(text, /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u)
}

/** The text of each element of a name. */
const textsOf = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`, 'g'))].map(([, inner = '']) =>
    inner
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&#34;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&'),
  )

const publish = async (title: string, content: string) => {
  clock.tick(1000)
  return (await call('POST /api/news', { body: { title, content } })).body
}

test('GET /feed.atom is a feed without entries as long as there is no post, and pages name it', async () => {
  const text = await feed()
  assert.deepEqual(textsOf(text, 'updated'), ['1970-01-01T00:00:00.000Z'])
  assert.deepEqual(textsOf(text, 'id'), [`${root}feed.atom`])
  assert.deepEqual(textsOf(text, 'name'), ['Forgehall'])
  assert.ok(text.includes(`<link rel="self" type="application/atom+xml" href="${root}feed.atom"/>`))
  const link = `<link rel="alternate" type="application/atom+xml" title="News" href="${root}feed.atom">`
  for (const path of ['/', '/overview', '/overview/news']) {
    assert.ok((await page(path)).includes(link), path)
    assert.ok((await editor.show(path)).includes(link), path)
  }
  assert.ok(!(await page('/explore/repos')).includes(link))
})

test('GET /feed.atom has posts as HTML: plain text as text, Markdown rendered, hostile texts as texts', async () => {
  await publish('Plain', 'one <b>\r\ntwo & "three"')
  await editor.done(fresh, {
    action: 'publish',
    title: 'Marked',
    content: '# Head\n\n<script>alert(1)</script>[here](https://x.example/?a=1&b=2)',
    format: 'markdown',
  })
  const [marked = '', plain] = textsOf(await feed(), 'content')
  assert.equal(plain, '<p>one &lt;b&gt;<br>two &amp; &#34;three&#34;</p>')
  assert.match(marked, /<h1[^>]*>Head[\s\S]*<a href="https:\/\/x\.example\/\?a=1&amp;b=2"/)
  assert.doesNotMatch(marked, /<script/)
  for (const text of [...hostile, ']]>', '\u0001\u001f\ufffe\u007f😀']) await publish(text, text)
  const text = await feed()
  const titles = textsOf(text, 'title').slice(1).reverse()
  assert.deepEqual(titles.slice(2, 2 + hostile.length), hostile)
  assert.deepEqual(titles.slice(2 + hostile.length), [']]>', '\ufffd\ufffd\ufffd\u007f😀'])
  for (const content of textsOf(text, 'content')) assert.doesNotMatch(content, /<script|<svg|<img/)
})

test('GET /feed.atom has the newest twenty, of a long one the beginning, and nothing that is not published', async () => {
  for (let at = 0; at < 21; at++) await publish(`number ${at}`, 'c')
  const long = await publish('long', `${'0'.repeat(32_768)}end`)
  const { body: posts } = await call('GET /api/news', { query: { limit: 20 } })
  const text = await feed()
  const addresses = posts.map(({ id }: { id: number }) => `${root}overview/news/${id}`)
  assert.deepEqual(textsOf(text, 'id'), [`${root}feed.atom`, ...addresses])
  assert.deepEqual(
    textsOf(text, 'published'),
    posts.map(({ created_at }: { created_at: string }) => created_at),
  )
  assert.deepEqual(textsOf(text, 'summary'), [`<p>${'0'.repeat(32_768)}…</p>`])
  assert.equal(textsOf(text, 'content').length, 19)
  await editor.done(fresh, { action: 'draft', title: 'Unfinished', content: 'c' })
  const later = { title: 'Later', content: 'c', publish_at: '9999-12-31T23:59' }
  await editor.done(fresh, { action: 'publish', ...later })
  assert.equal(await feed(), text)
  await call('DELETE /api/news/{id}', { params: { id: long.id } })
  assert.deepEqual(textsOf(await feed(), 'title').slice(0, 2), ['News · Forgehall', 'number 20'])
})

test('GET /feed.atom is 304 until a post changes, whose id and time stay', async () => {
  const etag = (await get('/feed.atom')).headers.get('etag') ?? ''
  const before = await feed()
  clock.tick(60_000)
  await call('POST /api/media', { body: { title: 'm', media_type: 'image', url: 'u' } })
  const same = await get('/feed.atom', { 'if-none-match': etag })
  assert.equal(same.status, 304)
  const { body: posts } = await call('GET /api/news')
  const { id } = posts[3]
  await call('PATCH /api/news/{id}', { params: { id }, body: { content: 'corrected' } })
  assert.equal((await get('/feed.atom', { 'if-none-match': etag })).status, 200)
  const after = await feed()
  for (const name of ['id', 'published', 'title'])
    assert.deepEqual(textsOf(after, name), textsOf(before, name))
  const [updated, ...ofEntries] = textsOf(after, 'updated')
  assert.equal(updated, clock.now().toISOString())
  assert.equal(ofEntries[3], updated)
  assert.equal(textsOf(after, 'content')[3], '<p>corrected</p>')
})
