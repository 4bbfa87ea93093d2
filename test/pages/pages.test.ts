import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordPresence } from '../../src/site/presence-store.ts'
import { startApp } from '../support/app.ts'
import { makersFor, samePassword } from '../support/forge/make.ts'
import { browserOf, cookieOf, holdClean, hostile, root } from './browser.ts'

const app = await startApp()
const { url, call, pool, clock } = app
const make = makersFor(app)
const ada = await make.person({ name: 'ada' })
const eve = await make.person({ name: 'eve' })

const { get } = browserOf(url)
const textOf = async (path: string, headers?: Record<string, string>) => (await get(path, headers)).text()

test('GET / shows everybody what this server is, and is 304 to those who have it', async () => {
  const response = await get('/')
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.match(
    response.headers.get('content-security-policy') ?? '',
    /^default-src 'none'; script-src 'self'; style-src 'self';/,
  )
  const page = await response.text()
  assert.match(page, /<h1>Welcome to Forgehall<\/h1>/)
  assert.match(page, /First steps/, 'nobody has published yet')
  assert.match(
    await textOf('/overview'),
    /yet\. <a href="[^"]*overview\/manage\/posts\/new">Publish the first post<\/a>/,
  )
  for (const path of ['overview', 'api/swagger', 'swagger.v1.json'])
    assert.ok(page.includes(`href="${root}${path}"`), path)
  const etag = response.headers.get('etag') ?? ''
  assert.equal((await get('/', { 'if-none-match': etag })).status, 304)
})

test('GET /overview shows all sections, and hostile texts as texts', async () => {
  for (const text of hostile) {
    clock.tick(1)
    await call('POST /api/news', { body: { title: text, content: text } })
    await call('POST /api/media', { body: { title: text, media_type: 'image', url: text } })
    await call('POST /api/media', {
      body: { title: text, media_type: 'video', url: `https://x.example/${text}` },
    })
    await call('POST /api/stats/session/start', { body: { username: text } })
    await pool`insert into site.activity_entry (description, created_at) values (${text}, ${clock.now()})`
    await pool`
      insert into site.statistic (key, value) values ('version', ${text})
      on conflict (key) do update set value = excluded.value`
  }
  await recordPresence(pool, clock.now())
  for (const path of ['/', '/overview']) {
    const page = await textOf(path)
    holdClean(page)
    assert.ok(page.includes('&lt;script&gt;alert(1)&lt;/script&gt;'), path)
    assert.doesNotMatch(page, /First steps|first post|Nobody is here/)
  }
  const page = await textOf('/overview')
  for (const section of ['news', 'media', 'presence', 'online', 'figures', 'activity'])
    assert.ok(page.includes(`data-section="${section}"`), section)
  assert.match(page, /At most 6 at once/)
  assert.equal(page.match(/Its address cannot be shown/g)?.length, hostile.length)
  assert.ok(page.includes(`data-live="${root}api/stats/stream"`))
})

test('GET /overview is 304 as long as nothing that it shows has changed, whatever the clock says', async () => {
  const etag = (await get('/overview')).headers.get('etag') ?? ''
  clock.tick(300_000)
  // What is written elsewhere makes the server read the page anew.
  await make.repository(ada, { name: 'elsewhere' })
  for (const tag of [etag, etag.replace('W/', '')])
    assert.equal((await get('/overview', { 'if-none-match': tag })).status, 304)
  await call('POST /api/news', { body: { title: 'changed', content: 'changed' } })
  assert.equal((await get('/overview', { 'if-none-match': etag })).status, 200)
})

test('GET /overview/news/{id} shows a post in full, and leads to its neighbours', async () => {
  const texts = ['first', `${'long '.repeat(200)}end`, '<b>last</b>']
  const ids: number[] = []
  for (const content of texts) {
    clock.tick(1)
    ids.push((await call('POST /api/news', { body: { title: `post ${ids.length}`, content } })).body.id)
  }
  const [first, long, last] = ids
  const address = (id: number | undefined) => `${root}overview/news/${id}`
  assert.ok((await textOf('/overview')).includes(`href="${address(long)}"`))
  const page = await textOf(`/overview/news/${long}`)
  assert.match(page, /long end</)
  assert.ok(
    page.includes(`href="${address(last)}">Newer post`) &&
      page.includes(`href="${address(first)}">Older post`),
  )
  const newest = await textOf(`/overview/news/${last}`)
  holdClean(newest)
  assert.match(newest, /&lt;b&gt;last/)
  assert.doesNotMatch(newest, /Newer post/)
  await call('DELETE /api/news/{id}', { params: { id: Number(last) } })
  assert.doesNotMatch(await textOf(`/overview/news/${long}`), /Newer post/)
  for (const id of [last, 'x', '0', '9'.repeat(30)])
    assert.equal((await get(`/overview/news/${id}`)).status, 404)
})

test('GET /assets/{name} serves what pages load, packed or not, for ever', async () => {
  const page = await textOf('/overview')
  const names = [...page.matchAll(/(?:href|src)="https:\/\/forgehall\.example(\/assets\/[^"]+)"/g)].map(
    ([, path = '']) => path,
  )
  assert.equal(names.length, 3)
  for (const name of names) {
    const plain = await get(name, { 'accept-encoding': 'identity' })
    const packed = await get(name, { 'accept-encoding': 'br' })
    assert.equal(plain.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(packed.headers.get('content-encoding'), 'br')
    assert.equal(await plain.text(), await packed.text())
    const etag = packed.headers.get('etag') ?? ''
    assert.notEqual(etag, plain.headers.get('etag'))
    assert.equal((await get(name, { 'accept-encoding': 'br', 'if-none-match': etag })).status, 304)
  }
  for (const name of ['/assets/x.css', '/assets/..%2fapp.ts', '/assets/constructor'])
    assert.equal((await get(name)).status, 404)
})

test('GET /avatars/{hash} has one picture for each hash', async () => {
  const hash = '0123456789abcdef0123456789abcdef'
  const [one, again] = [await textOf(`/avatars/${hash}`), await textOf(`/avatars/${hash}`)]
  assert.match(one, /^<svg /)
  assert.equal(one, again)
  assert.notEqual(one, await textOf(`/avatars/${hash.toUpperCase().toLowerCase().replace('0', 'f')}`))
  for (const wrong of ['x', hash.slice(1), `${hash}"`, hash.toUpperCase()])
    assert.equal((await get(`/avatars/${encodeURIComponent(wrong)}`)).status, 404)
})

test('GET /{username} shows an account and the repositories that the caller may see', async () => {
  await make.repository(ada, { name: 'open' })
  await make.repository(ada, { name: 'secret', is_private: true })
  await pool`update forge.repository set description = '<b>bold</b>' where name = 'open'`
  await pool`update forge.account set website = 'javascript:alert(1)', description = ${hostile[1] ?? ''} where name = 'ada'`
  const page = await textOf('/ADA')
  holdClean(page)
  assert.ok(page.includes(`href="${root}ada/open"`))
  assert.ok(!page.includes('secret'))
  const ofAda = await textOf('/ada', { authorization: ada.authorization })
  assert.ok(ofAda.includes(`href="${root}ada/secret"`))
})

test('GET /Ghost explains the name of deleted accounts', async () => {
  const response = await get('/Ghost')
  assert.equal(response.status, 200)
  assert.match(await response.text(), /accounts that were deleted/)
})

test('GET /{owner}/{repo} shows a repository; a private one is 404 to others', async () => {
  assert.match(await textOf('/ada/open'), /&lt;b&gt;bold/)
  for (const path of ['/ada/open.git', '/ada/open/']) assert.equal((await get(path)).status, 200)
  assert.equal((await get('/ada/secret')).status, 404)
  assert.equal((await get('/ada/secret', { authorization: eve.authorization })).status, 404)
  assert.equal((await get('/ada/secret', { authorization: ada.authorization })).status, 200)
})

test('GET /{owner}/{repo} leads only to units that are turned on', async () => {
  const tabs = async () =>
    [
      ...(await textOf('/ada/open')).matchAll(/open(?:\/\w+)?"(?: aria-current="page")?>(\w+)<\/a><\/li>/g),
    ].map(([, name]) => name)
  assert.deepEqual(await tabs(), ['Code', 'Issues', 'Actions', 'Branches', 'Tags', 'Releases'])
  const turn = (on: boolean) => {
    const body = { has_code: on, has_issues: on, has_actions: on, has_releases: on }
    return call('PATCH /api/v1/repos/{owner}/{repo}', {
      as: ada,
      params: { owner: 'ada', repo: 'open' },
      body,
    })
  }
  assert.equal((await turn(false)).status, 200)
  assert.deepEqual(await tabs(), ['Code'])
  assert.equal((await turn(true)).status, 200)
})

test('a missing page is HTML for browsers and JSON for programs', async () => {
  for (const path of [
    '/nobody',
    '/ada/nothing',
    '/ada/open/actions/runs/1',
    '/ada/open/actions/runs/1/jobs/1',
    '/a/b/c/d/e',
  ]) {
    const page = await get(path)
    assert.equal(page.status, 404, path)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    holdClean(await page.text())
    const other = await get(path, { accept: '*/*' })
    assert.equal(other.status, 404)
    assert.match(other.headers.get('content-type') ?? '', /^application\/json/)
    assert.equal(typeof (await other.json()).error, 'string')
  }
})

test('no page takes the place of an unknown path of an API', async () => {
  for (const path of ['/api', '/api/nothing', '/api/v1', '/api/v1/nothing'])
    assert.doesNotMatch((await get(path)).headers.get('content-type') ?? '', /html/)
})

test('with REQUIRE_SIGNIN the pages of the site are open and those of the forge are not', async () => {
  const closed = await startApp({ REQUIRE_SIGNIN: 'true' })
  const person = await makersFor(closed).person({ name: 'ada' })
  for (const path of ['/', '/overview']) assert.equal((await fetch(closed.url + path)).status, 200)
  assert.equal((await fetch(`${closed.url}/ada`)).status, 403)
  assert.equal(
    (await fetch(`${closed.url}/ada`, { headers: { authorization: person.authorization } })).status,
    200,
  )
})

test('a list without entries says so, and leads to no other page of it', async () => {
  await call('POST /api/v1/user/repos', { as: ada, body: { name: 'bare' } })
  const sentences = {
    '/ada/bare/issues': 'No open issues',
    '/ada/bare/actions': 'No runs yet',
    '/ada/bare/tags': 'No tags yet',
    '/ada/-/packages': 'No packages yet',
  }
  for (const [path, sentence] of Object.entries(sentences)) {
    const page = await textOf(path)
    assert.ok(page.includes(`<p class="empty">${sentence}`), path)
    assert.doesNotMatch(page, /<ul class="list">|<p class="actions">\s*<\/p>/, path)
  }
})

test('GET /overview/news/{id} sets the moment of a post in the direction of its title', async () => {
  const { body } = await call('POST /api/news', { body: { title: 'إعلان', content: 'مرحبا' } })
  for (const path of ['/overview', `/overview/news/${body.id}`])
    assert.match(await textOf(path), /<article [^>]*dir="auto">\s*<h\d[^>]*>(?:<a [^>]*>)?إعلان/, path)
})

test('GET /overview keeps the labels of the picture of presence inside it, whatever the time', async () => {
  const quarter = 6 * 3_600_000
  clock.tick(quarter - (clock.now().getTime() % quarter) + 60_000)
  await recordPresence(pool, clock.now())
  const labels = [...(await textOf('/overview')).matchAll(/<text x="([\d.]+)"[^>]*anchor="(\w+)">\d\d:00/g)]
  assert.deepEqual(
    labels.map(([, x, anchor]) => [Number(x) > 690, anchor]),
    [...Array(3).fill([false, 'middle']), [true, 'end']],
  )
})

test('an error of a page names who is signed in', async () => {
  const cookie = await cookieOf(url, { user: 'ada', password: samePassword })
  for (const path of ['/overview/news/999', '/nobody']) {
    const [signedIn, other] = [await get(path, { cookie }), await get(path)]
    assert.deepEqual([signedIn.status, other.status], [404, 404], path)
    assert.match(await signedIn.text(), /<summary[^>]*>(?:(?!<\/summary>).)*ada/s, path)
    assert.match(await other.text(), /href="[^"]*login"/, path)
  }
})

test('GET /overview shows eight of the people who are here, and keeps the others behind a word', async () => {
  const crowded = await startApp()
  const sectionWith = async (people: number) => {
    for (let n = 1; n <= people; n++)
      await crowded.call('POST /api/stats/session/start', { body: { username: `visitor ${n}` } })
    const page = await (await browserOf(crowded.url).get('/overview')).text()
    holdClean(page)
    const [section = ''] = /<section[^>]* data-section="online">[\s\S]*?<\/section>/.exec(page) ?? []
    const [seen = '', hidden = ''] = section.split('<summary>')
    const [of = '', named = ''] = hidden.split('</summary>')
    const count = (text: string) => text.match(/<li>/g)?.length ?? 0
    return { seen: count(seen), of, named: count(named), rest: /and \d+ more/.exec(section)?.[0] }
  }
  assert.deepEqual(await sectionWith(8), { seen: 8, of: '', named: 0, rest: undefined })
  assert.deepEqual(await sectionWith(9), { seen: 8, of: '1 more', named: 1, rest: undefined })
  assert.deepEqual(await sectionWith(27), { seen: 8, of: '19 more', named: 12, rest: 'and 7 more' })
})
