import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newTotpSecret, totpAt } from '../../src/forge/auth/totp.ts'
import { upsertTotp } from '../../src/forge/auth/totp-store.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { makersFor, samePassword, testSecrets } from '../support/forge/make.ts'
import { cookieIn, root, send } from './browser.ts'
import { manage } from './managing.ts'

const app = await startApp()
const { url, call, pool, clock } = app
const make = makersFor(app)
const boss = await make.admin({ name: 'boss' })
const ada = await make.person({ name: 'ada' })

const get = (path: string, headers: Record<string, string> = {}, { url: at } = app as Pick<TestApp, 'url'>) =>
  fetch(at + path, { redirect: 'manual', headers: { accept: 'text/html', ...headers } })
const post = (
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
  { url: at } = app as Pick<TestApp, 'url'>,
) => send(at, path, fields, headers)

/** The cookie and form token of a session, as a browser has them. */
async function signIn(fields: Record<string, string>, at: Pick<TestApp, 'url'> = app) {
  const response = await post('/login', fields, {}, at)
  assert.equal(response.status, 303)
  assert.equal(response.headers.get('location'), root)
  const set = response.headers.get('set-cookie') ?? ''
  assert.match(set, /^__Host-forgehall=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/)
  const cookie = set.split(';')[0] ?? ''
  const page = await (await get(manage, { cookie }, at)).text()
  const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(page) ?? []
  return { cookie, form_token, page }
}

/** Publishes a post by the form for that. */
const write = async (
  { cookie, form_token }: { cookie: string; form_token: string },
  fields: Record<string, string>,
  at?: Pick<TestApp, 'url'>,
) =>
  post(`${manage}/posts/new`, { form_token, action: 'publish', format: 'plain', ...fields }, { cookie }, at)

interface Entry {
  action: string
  target: object
  details: object
}

const session = () => signIn({ user: 'boss', password: samePassword })
const titles = async () => (await call('GET /api/news')).body.map(({ title }: { title: string }) => title)

test(`GET ${manage} without a session leads to the sign-in page`, async () => {
  for (const cookie of [
    '',
    '__Host-forgehall=x',
    `__Host-forgehall=${'a'.repeat(43)}`,
    '__Host-forgehall=%00;;=',
  ]) {
    const response = await get(manage, cookie ? { cookie } : {})
    assert.equal(response.status, 303)
    assert.match(response.headers.get('location') ?? '', /^https:\/\/forgehall\.example\/login/)
  }
  assert.match(await (await get('/login?ended=1')).text(), /Your session has ended/)
})

test(`POST ${manage} removes, ends sessions, sets figures and adds activity`, async () => {
  const { cookie, form_token } = await session()
  const act = async (fields: Record<string, string>) => {
    const response = await post(manage, { form_token, ...fields }, { cookie })
    assert.equal(response.status, 303, JSON.stringify(fields))
    const about = fields.id !== undefined && fields.action !== 'end-session' ? `&id=${fields.id}` : ''
    assert.equal(response.headers.get('location'), `${root}overview/manage?done=${fields.action}${about}`)
  }
  await write({ cookie, form_token }, { title: 'by hand', content: 'in a minute' })
  assert.deepEqual(await titles(), ['by hand'])
  const film = { title: 'film', media_type: 'video', url: 'https://x.example/a.webm' }
  assert.equal((await post(`${manage}/media/new`, { form_token, ...film }, { cookie })).status, 303)
  const [item] = (await call('GET /api/media')).body
  assert.deepEqual([item.title, item.media_type], ['film', 'video'])
  const [post1] = (await call('GET /api/news')).body
  assert.ok(
    (await (await get(manage, { cookie })).text()).includes(
      `href="${root}overview/news/${post1.id}">by hand</a>`,
    ),
  )
  await act({ action: 'remove-post', id: String(post1.id) })
  await act({ action: 'remove-item', id: String(item.id) })
  assert.deepEqual([(await call('GET /api/news')).body, (await call('GET /api/media')).body], [[], []])
  const { body } = await call('POST /api/stats/session/start', { body: { username: 'visitor' } })
  assert.match(await (await get(manage, { cookie })).text(), /End the session of visitor/)
  await act({ action: 'end-session', id: String(body.sessionId) })
  await act({ action: 'set-figures', version: '2.0', build_number: '7', other: 'x' })
  await act({ action: 'add-activity', description: 'moved in' })
  const overview = (await call('GET /api/stats/overview')).body
  assert.deepEqual(overview.currentUsers, [])
  assert.deepEqual(overview.general.build, { pipeline: 'unknown', buildNumber: '7', version: '2.0' })
  assert.equal(overview.recentActivity[0].description, 'moved in')
  const { entries } = (await call('GET /api/v1/admin/audit', { as: boss })).body
  const [{ address, request_id, ...newest }] = entries
  assert.deepEqual([address, typeof request_id], ['127.0.0.1', 'string'])
  assert.deepEqual(newest, {
    id: newest.id,
    at: '2026-01-31T08:00:00Z',
    actor: { id: boss.id, name: 'boss' },
    acting_as: '',
    action: 'activity.added',
    target: { kind: 'activity', id: overview.recentActivity[0].id, name: 'moved in' },
    details: {},
  })
  const changes = entries.map(({ action, target, details }: Entry) => [action, target, details])
  assert.deepEqual(changes.slice(1), [
    ['figures.set', { kind: 'site', id: 0, name: 'figures' }, { version: '2.0', build_number: '7' }],
    ['session.ended', { kind: 'session', id: body.sessionId, name: 'visitor' }, {}],
    ['media.removed', { kind: 'media', id: item.id, name: 'film' }, {}],
    ['news.removed', { kind: 'news', id: post1.id, name: 'by hand' }, {}],
    ['media.published', { kind: 'media', id: item.id, name: 'film' }, {}],
    ['news.published', { kind: 'news', id: post1.id, name: 'by hand' }, {}],
  ])
})

test(`GET ${manage} shows every post and media item, and stays in place when one is removed`, async () => {
  const { cookie, form_token } = await session()
  await pool`
    insert into site.news_post (title, content, created_at)
    select 'post ' || nr, 'x', '2026-01-30' from generate_series(1, 45) as nr`
  await pool`
    insert into site.media_item (title, media_type, url, created_at)
    select 'item ' || nr, 'image', 'https://x.example/a.png', '2026-01-30' from generate_series(1, 21) as nr`
  const show = async (query: string) => (await get(`${manage}${query}`, { cookie })).text()
  const shown = (page: string, kind: string) =>
    [...page.matchAll(new RegExp(`<bdi>(?:<a [^>]*>)?${kind} (\\d+)<`, 'g'))].map(([, nr]) => Number(nr))
  const span = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, at) => from - at)
  const linkIn = (page: string, text: string) =>
    new RegExp(`href="https://forgehall.example([^"]*)">${text}<`).exec(page)?.[1]?.replaceAll('&amp;', '&')
  const first = await show('')
  assert.deepEqual([shown(first, 'post'), shown(first, 'item')], [span(45, 26), span(21, 2)])
  assert.equal(linkIn(first, 'Newer posts'), undefined)
  /** The place that a link leads to, as a query has it. */
  const placeIn = (page: string, text: string, list: string) =>
    new URL(linkIn(page, text) ?? '', root).searchParams.get(list) ?? ''
  const second = placeIn(first, 'Older posts', 'posts')
  assert.equal(linkIn(first, 'Older posts'), `${manage}?posts=${second}#posts`)
  const third = placeIn(await show(`?posts=${second}`), 'Older posts', 'posts')
  const place = { posts: third, media: placeIn(first, 'Older media', 'media') }
  const query = new URLSearchParams(place).toString()
  const last = await show(`?${query}`)
  assert.deepEqual([shown(last, 'post'), shown(last, 'item')], [span(5, 1), [1]])
  assert.deepEqual([linkIn(last, 'Older posts'), linkIn(last, 'Older media')], [undefined, undefined])
  const newer = new URL(linkIn(last, 'Newer posts') ?? '', root)
  assert.deepEqual(shown(await show(newer.search), 'post'), span(25, 6))
  assert.equal(newer.searchParams.get('media'), place.media, 'the other list stays')
  const [row] = await pool<[{ id: number }]>`select id from site.media_item where title = 'item 1'`
  const removal = { form_token, action: 'remove-item', id: String(row.id), ...place }
  const removed = await post(manage, removal, { cookie })
  assert.equal(
    removed.headers.get('location'),
    `${root}overview/manage?done=remove-item&id=${row.id}&${query}`,
  )
  const emptied = await show(`?done=remove-item&${query}`)
  assert.deepEqual([shown(emptied, 'post'), shown(emptied, 'item')], [span(5, 1), span(21, 2)])
  const gone = await (await post(manage, removal, { cookie })).text()
  assert.deepEqual(shown(gone, 'post'), span(5, 1), 'a refusal stays in place, too')
  for (const nonsense of [
    '?posts=2',
    '?posts=x',
    '?posts=older.x.1',
    '?posts=older.1.1.1',
    '?posts=older.1.1&posts=older.1.1',
    '?posts=older.999999999999999.1',
  ])
    assert.deepEqual(shown(await show(nonsense), 'post'), span(45, 26), nonsense)
  await pool`delete from site.news_post`
  await pool`delete from site.media_item`
  assert.match(await show('?posts=older.1.1'), /No (?:posts|pictures or films) yet/)
})

test(`POST ${manage} records nothing where nothing is changed, and no more of a title than an index holds`, async () => {
  const { cookie, form_token } = await session()
  const recorded = async () => (await call('GET /api/v1/admin/audit', { as: boss })).body.entries
  const before = await recorded()
  for (const fields of [
    { action: 'add-activity', description: '' },
    { action: 'remove-post', id: '999999' },
    { action: 'remove-item', id: 'x' },
    { action: 'end-session', id: '999999' },
  ])
    assert.ok([404, 422].includes((await post(manage, { form_token, ...fields }, { cookie })).status))
  assert.deepEqual(await recorded(), before)
  const title = Array.from({ length: 5_000 }, (_, at) => String.fromCodePoint(0x20000 + at)).join('')
  assert.equal((await write({ cookie, form_token }, { title, content: 'b' })).status, 303)
  const [entry] = await recorded()
  assert.equal(entry.target.name, [...title].slice(0, 200).join(''))
  await pool`delete from site.news_post`
})

test(`POST ${manage} shows faults beside the fields and keeps what was written`, async () => {
  const { cookie, form_token } = await session()
  const before = await titles()
  const empty = await write({ cookie, form_token }, { title: '"><script>', content: ' ' })
  assert.equal(empty.status, 422)
  const page = await empty.text()
  assert.match(page, /id="content-fault">This must not be empty/)
  assert.ok(page.includes('value="&#34;&gt;&lt;script&gt;"'))
  const silent = await post(manage, { form_token, action: 'add-activity', description: ' ' }, { cookie })
  assert.equal(silent.status, 422)
  assert.match(await silent.text(), /id="description-fault">This must not be empty/)
  for (const [fields, status] of [
    [{ action: 'remove-post', id: '999999' }, 404],
    [{ action: 'end-session', id: 'x' }, 404],
    [{ action: 'nothing' }, 400],
    [{ action: 'add-activity', description: 'a\0' }, 400],
  ] as const)
    assert.equal((await post(manage, { form_token, ...fields }, { cookie })).status, status)
  const gone = await post(manage, { form_token, action: 'remove-post', id: '999999' }, { cookie })
  assert.match(await gone.text(), /Nothing was changed. It is no longer there.[\s\S]*Posts/)
  assert.deepEqual(await titles(), before)
})

test(`POST ${manage} is refused without the token of the session, and from other sites`, async () => {
  const { cookie, form_token } = await session()
  const other = await session()
  const before = await titles()
  const page = `${manage}/posts/new`
  const fields = { action: 'publish', title: 'forged', content: 'x' }
  for (const token of ['', 'x', other.form_token, form_token.slice(1)])
    assert.equal((await post(page, { ...fields, form_token: token }, { cookie })).status, 403)
  assert.deepEqual(await titles(), before)
  const again = await (await post(page, { ...fields, form_token: other.form_token }, { cookie })).text()
  assert.match(again, /Nothing was changed. You have signed in again/)
  assert.ok(
    again.includes('value="forged"') && again.includes(`value="${form_token}"`),
    'it can be sent once more',
  )
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
  ])
    assert.equal((await post(page, { ...fields, form_token }, { cookie, ...headers })).status, 403)
  const send = (headers: Record<string, string>) =>
    fetch(url + page, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, ...headers },
      body: new URLSearchParams({ ...fields, form_token }),
    })
  for (const origin of ['https://evil.example', 'null', 'http://forgehall.example'])
    assert.equal((await send({ origin })).status, 403, origin)
  assert.equal((await send({})).status, 403, 'nothing says where the form comes from')
  const headers = { origin: 'https://forgehall.example' }
  assert.equal((await send({ ...headers, 'content-type': 'text/plain' })).status, 415)
  assert.equal(
    (await post('/login', { user: 'boss', password: samePassword }, { 'sec-fetch-site': 'cross-site' }))
      .status,
    403,
  )
  assert.deepEqual(await titles(), before)
})

test('POST /login answers 429 after too many wrong passwords for one name', async () => {
  const guess = async () => {
    const { status, headers } = await post('/login', { user: 'mallory', password: 'wrong' })
    return [status, headers.get('retry-after')]
  }
  const [first] = [await guess()]
  for (let time = 0; time < 9; time++) await guess()
  assert.deepEqual(
    [first, await guess()],
    [
      [401, null],
      [429, '30'],
    ],
  )
})

test('POST /login refuses wrong credentials, and sets no cookie', async () => {
  for (const [fields, status] of [
    [{ user: 'boss', password: 'wrong' }, 401],
    [{ user: 'nobody', password: samePassword }, 401],
    [{ user: '', password: '' }, 401],
    [{ user: '', password: 'f'.repeat(40) }, 401],
    [{ user: 'ada', password: 'x' }, 401],
  ] as const) {
    const response = await post('/login', fields)
    assert.equal(response.status, status, JSON.stringify(fields))
    assert.equal(response.headers.get('set-cookie'), null)
    assert.match(await response.text(), /role="alert"/)
  }
})

test('POST /login leads everybody to the start page; who may not manage the site is refused there', async () => {
  for (const fields of [
    { user: 'ada', password: samePassword },
    { password: await make.token(ada, 'all') },
    { password: await make.token(boss, 'read:misc') },
  ]) {
    const response = await post('/login', fields)
    assert.equal(response.status, 303)
    assert.equal(response.headers.get('location'), root)
    const cookie = cookieIn(response)
    assert.equal((await get(manage, { cookie })).status, 403)
    assert.equal((await post(manage, { action: 'add-activity', description: 'x' }, { cookie })).status, 403)
    const account = await (await get('/login', { cookie })).text()
    assert.match(account, /Signed in as .*Sign out/s)
    assert.doesNotMatch(account, /Manage the site/)
  }
})

test('an account has twenty sessions at most, the newest ones', async () => {
  const many = await make.person({ name: 'many' })
  const cookies: string[] = []
  for (let at = 0; at < 22; at++) {
    clock.tick(1)
    const response = await post('/login', { user: many.name, password: samePassword })
    await response.text()
    cookies.push(cookieIn(response))
  }
  const isOpen = async (cookie = '') => /Signed in as/.test(await (await get('/login', { cookie })).text())
  assert.deepEqual(await Promise.all([cookies[1], cookies[2], cookies[21]].map(isOpen)), [false, true, true])
})

test('POST /login asks for the one-time code of an account that has one', async () => {
  const grace = await make.admin({ name: 'grace' })
  const secret = newTotpSecret()
  await make.begin((tx) => upsertTotp(tx, testSecrets, grace.id, secret))
  const fields = { user: 'grace', password: samePassword }
  assert.equal((await post('/login', fields)).status, 401)
  await signIn({ ...fields, code: totpAt(secret, clock.now()) })
})

test('a session of a token ends with the token', async () => {
  const token = await make.token(boss, 'write:misc')
  const { cookie } = await signIn({ password: token })
  assert.equal((await get(manage, { cookie })).status, 200)
  assert.match(await (await get('/login', { cookie })).text(), /overview\/manage">Manage the site/)
  await pool`delete from forge.access_token where last_eight = ${token.slice(-8)}`
  assert.equal((await get(manage, { cookie })).status, 303)
})

test('a session ends with the password, with the administrator, by signing out, and after twelve hours', async () => {
  const ends = async (end: (cookie: string) => Promise<unknown>) => {
    const eve = await make.admin()
    const { cookie } = await signIn({ user: eve.name, password: samePassword })
    assert.equal((await get(manage, { cookie })).status, 200)
    await end(cookie)
    const { status } = await get(manage, { cookie })
    assert.ok([303, 403].includes(status), String(status))
    return eve
  }
  await ends(
    () =>
      pool`update forge.password set record = record || 'x' where account_id = (select max(id) from forge.account)`,
  )
  await ends(
    () => pool`update forge.account set is_admin = false where id = (select max(id) from forge.account)`,
  )
  await ends(
    () => pool`update forge.account set prohibit_login = true where id = (select max(id) from forge.account)`,
  )
  await ends(async (cookie) => {
    const foreign = { cookie, 'sec-fetch-site': 'cross-site' }
    assert.equal((await post('/login/out', {}, foreign)).status, 403)
    const { status, headers } = await post('/login/out', {}, { cookie })
    assert.deepEqual([status, headers.get('location')], [303, root])
    assert.match(headers.get('set-cookie') ?? '', /=; .*Max-Age=0/)
  })
  await ends(async () => clock.tick(12 * 3_600_000))
  await session()
  const [{ rows }] = await pool<[{ rows: number }]>`select count(*) as rows from forge.web_session`
  assert.equal(rows, 1, 'what has expired is removed')
})

test('the secret of a session is not in the database', async () => {
  const { cookie } = await session()
  const rows = await pool`select * from forge.web_session`
  assert.ok(!JSON.stringify(rows).includes(cookie.split('=')[1] ?? ''))
})

test('with SITE_WRITES=off nobody publishes by page, and the rest can be managed', async () => {
  const off = await startApp({ SITE_WRITES: 'off' })
  await makersFor(off).admin({ name: 'boss' })
  const { cookie, form_token, page } = await signIn({ user: 'boss', password: samePassword }, off)
  assert.match(page, /News and media cannot be changed on this server/)
  const act = (fields: Record<string, string>) => post(manage, { form_token, ...fields }, { cookie }, off)
  assert.equal((await write({ cookie, form_token }, { title: 'a', content: 'b' }, off)).status, 403)
  assert.equal((await act({ action: 'add-activity', description: 'a' })).status, 303)
  for (const path of ['/', '/overview'])
    assert.doesNotMatch(await (await fetch(off.url + path)).text(), /[Pp]ublish (?:a|the first) post/, path)
})

test('over http the cookie has no prefix and is not Secure', async () => {
  const plain = await startApp({ PUBLIC_URL: 'http://localhost:3000/' })
  await makersFor(plain).admin({ name: 'boss' })
  const response = await fetch(`${plain.url}/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: 'http://localhost:3000' },
    body: new URLSearchParams({ user: 'boss', password: samePassword }),
  })
  assert.match(
    response.headers.get('set-cookie') ?? '',
    /^forgehall=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
  )
})
