import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { signedIn } from './admin/browser.ts'
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

const repositoryFeeds = ['code', 'code/releases', 'code/tags'].flatMap((path) =>
  ['rss', 'atom'].map((format) => `/ada/${path}.${format}`),
)
const branchFeeds = ['rss', 'atom'].map((format) => `/ada/code/${format}/branch/a/b`)
const allFeeds = [...repositoryFeeds, ...branchFeeds, '/ada.rss', '/ada.atom']

/** Each tag of an XML document is closed in its turn; gives the text. */
async function followed(path: string): Promise<string> {
  const response = await get(path)
  const text = await response.text()
  assert.equal(response.status, 200, `${path}: ${text}`)
  const format = /atom/.test(path) ? 'atom' : 'rss'
  assert.equal(response.headers.get('content-type'), `application/${format}+xml; charset=utf-8`)
  const open: string[] = []
  const rest = text
    .slice(text.indexOf('\n'))
    .replace(/<(\/?)([A-Za-z:]+)((?: [A-Za-z:]+="[^"<>]*")*)(\/?)>/g, (_, ending, name, _more, closed) => {
      if (ending) assert.equal(open.pop(), name)
      else if (!closed) open.push(name)
      return ''
    })
  assert.deepEqual(open, [], path)
  assert.doesNotMatch(rest, /[<>]/, path)
  assert.doesNotMatch(text, /&(?!(?:amp|lt|gt|#34|#39);)/)
  return text
}

test('GET /{owner}/{repo}.rss and its neighbours say what is new, in both formats, and keep private things private', async () => {
  const ada = await app.make.person({ name: 'ada' })
  const params = { owner: 'ada', repo: 'code' }
  const at = '/api/v1/repos/{owner}/{repo}'
  await call('POST /api/v1/user/repos', {
    as: ada,
    body: { name: 'code', auto_init: true, description: 'd' },
  })
  await call(`POST ${at}/branches`, { as: ada, params, body: { new_branch_name: 'a/b' } })
  for (const title of [...hostile, '\u0001\ufffe]]>']) {
    clock.tick(1_000)
    const issue = { title, body: `${title}\nmore` }
    assert.equal((await call(`POST ${at}/issues`, { as: ada, params, body: issue })).status, 201)
  }
  const release = { tag_name: 'v1', name: hostile[0], body: hostile[1] }
  assert.equal((await call(`POST ${at}/releases`, { as: ada, params, body: release })).status, 201)
  await call(`POST ${at}/releases`, {
    as: ada,
    params,
    body: { tag_name: 'v2', name: 'secret', draft: true },
  })
  for (const path of allFeeds) {
    const response = await get(path)
    await response.text()
    const etag = response.headers.get('etag') ?? ''
    assert.equal((await get(path, { 'if-none-match': etag })).status, 304, path)
    assert.doesNotMatch(await followed(path), /secret/)
  }
  const atom = await followed('/ada/code.atom')
  const titles = textsOf(atom, 'title')
  assert.equal(titles[0], 'ada/code')
  assert.ok(titles.includes(`Release: ${hostile[0]}`) && titles.includes(`Issue #1: ${hostile[0]}`), atom)
  assert.ok(titles.includes('Initial commit'), titles.join('\n'))
  assert.deepEqual(textsOf(await followed('/ada/code/tags.rss'), 'guid'), [`${root}ada/code/src/tag/v1`])
  assert.deepEqual(textsOf(await followed('/ada/code/releases.rss'), 'pubDate').map(Date.parse), [
    clock.now().getTime(),
  ])
  assert.equal(textsOf(await followed('/ada.atom'), 'id').length, hostile.length + 4)
  for (const [of, path] of [
    ['/ada/code', '/ada/code.atom'],
    ['/ada/code/releases', '/ada/code/releases.rss'],
    ['/ada/code/tags', '/ada/code/tags.atom'],
    ['/ada/code/commits/branch/a/b', '/ada/code/rss/branch/a/b'],
    ['/ada', '/ada.rss'],
  ] as const)
    assert.match(await page(of), new RegExp(`<link rel="alternate"[^>]* href="${root.slice(0, -1)}${path}">`))
  assert.equal((await get('/ada/code/rss/branch/none')).status, 404)
  const reader = await signedIn(app, 'ada')
  assert.match(await reader.page('/ada?tab=activity'), /issues\/1">Issue #1: &lt;script&gt;/)

  await call(`PATCH ${at}`, { as: ada, params, body: { has_issues: false } })
  assert.doesNotMatch(await followed('/ada/code.rss'), /Issue #/)
  assert.doesNotMatch(await followed('/ada.rss'), /Issue #/)
  await call('PATCH /api/v1/user/settings', { as: ada, body: { hide_activity: true } })
  assert.deepEqual(textsOf(await followed('/ada.rss'), 'guid'), [])
  await call('PATCH /api/v1/user/settings', { as: ada, body: { hide_activity: false } })
  assert.equal(textsOf(await followed('/ada.rss'), 'guid').length, 2)
  await call(`PATCH ${at}`, { as: ada, params, body: { private: true } })
  for (const path of [...repositoryFeeds, ...branchFeeds]) assert.equal((await get(path)).status, 404, path)
  assert.deepEqual(textsOf(await followed('/ada.rss'), 'guid'), [])
})

test('GET /{username}.atom and GET /{owner}/{repo}.atom have thirty entries at most, the newest', async () => {
  const eve = await app.make.person({ name: 'eve' })
  const repository = { owner: 'eve', repo: 'long' }
  await call('POST /api/v1/user/repos', { as: eve, body: { name: 'long', auto_init: true } })
  for (let at = 1; at <= 35; at++) {
    clock.tick(1_000)
    const body = { title: `number ${at}` }
    await call('POST /api/v1/repos/{owner}/{repo}/issues', { as: eve, params: repository, body })
  }
  for (const path of ['/eve.atom', '/eve/long.atom']) {
    const titles = textsOf(await followed(path), 'title').slice(1)
    assert.equal(titles.length, 30, path)
    assert.match(titles[0] ?? '', /number 35$/)
  }
})
