import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { makersFor, type Somebody } from '../../support/forge/make.ts'
import { hostile, root } from '../browser.ts'
import { personAt } from '../person.ts'

const app = await startApp()
const { call, clock, pool } = app
const make = makersFor(app)
const { get, post, signIn } = personAt(app)
const [ada, eve] = await make.people('ada', 'eve')
const guild = await make.organization(ada, { name: 'guild' })
const engine = await make.repository(ada, { name: 'engine', is_private: true })
await make.repository(guild, { name: 'tools', by: ada })
const foreign = await make.repository(eve, { name: 'foreign' })

/** An issue of the engine, assigned to ada. */
async function issue(title: string): Promise<{ id: number; number: number }> {
  const params = { owner: 'ada', repo: 'engine' }
  const { body } = await call('POST /api/v1/repos/{owner}/{repo}/issues', {
    as: ada,
    params,
    body: { title, assignees: ['ada'] },
  })
  return body
}

/** An issue of a public repository of eve. */
async function issueOf(repo: string): Promise<{ id: number; number: number }> {
  const params = { owner: 'eve', repo }
  const { body } = await call('POST /api/v1/repos/{owner}/{repo}/issues', {
    as: eve,
    params,
    body: { title: 'Look' },
  })
  return body
}

/** A notification about a new issue. */
async function thread(
  to: Somebody,
  title: string,
  status = 'unread',
  repository = engine.id,
): Promise<number> {
  const { id } = await issue(title)
  return threadAbout(to, id, { status, repository })
}

async function threadAbout(to: Somebody, id: number, { status = 'unread', repository = foreign.id } = {}) {
  const [row] = await pool<[{ id: number }]>`
    insert into forge.notification (account_id, repository_id, source, issue_id, status, updated_at)
    values (${to.id}, ${repository}, 'issue', ${id}, ${status}, ${clock.now()})
    returning id`
  return row.id
}

const statusOf = async (id: number) =>
  (await pool<{ status: string }[]>`select status from forge.notification where id = ${id}`)[0]?.status
const menuCount = (page: string) => /<span class="unread">([\d+]+)</.exec(page)?.[1]

test('GET / shows who is signed in their repositories, those of their organizations, and assigned issues', async () => {
  await issue('It leaks')
  const cookie = await signIn('ada')
  const { text, headers } = await get('/', cookie)
  assert.match(text, /<h1>Hello, ada<\/h1>/)
  for (const address of ['ada/engine', 'guild/tools', 'ada/engine/issues/1', 'settings', 'notifications'])
    assert.ok(text.includes(`href="${root}${address}"`), address)
  assert.ok(!text.includes('eve/foreign'))
  assert.equal(headers.get('cache-control'), 'private, no-store')
  const anonymous = (await get('/')).text
  assert.ok(anonymous.includes('Welcome to Forgehall') && !anonymous.includes('engine'))
  const other = (await get('/', await signIn('eve'))).text
  assert.ok(other.includes('eve/foreign') && !other.includes('engine') && !other.includes('tools'))
})

test('GET / shows the session of a token what the token may read; one for public things sees nothing private', async () => {
  for (const [scopes, seen] of [
    [['read:user'], [false, false, false]],
    [['read:repository'], [true, false, false]],
    [['read:issue'], [false, true, false]],
    [['read:notification'], [false, false, true]],
    [
      ['public-only', 'all'],
      [false, false, false],
    ],
    [['all'], [true, true, true]],
  ] as const) {
    const { text } = await get('/', await signIn('', await make.token(ada, ...scopes)))
    const shown = [`${root}ada/engine"`, `${root}ada/engine/issues/1"`, `${root}notifications"`]
    assert.deepEqual(
      shown.map((each) => text.includes(each)),
      seen,
      String(scopes),
    )
  }
})

test('POST /login leads to the start page', async () => {
  assert.equal((await post('/login', { password: ada.token })).location, root)
})

test('GET /notifications lists what is unread, read, pinned or all; the menu shows how many are unread', async () => {
  const me = await make.person()
  const cookie = await signIn(me.name)
  assert.equal(menuCount((await get('/', cookie)).text), undefined)
  const ids = { unread: 0, read: 0, pinned: 0 }
  for (const status of ['unread', 'read', 'pinned'] as const)
    ids[status] = await thread(me, `is ${status}`, status)
  const listed = async (status: string) =>
    [...(await get(`/notifications?status=${status}`, cookie)).text.matchAll(/name="id" value="(\d+)"/g)].map(
      ([, id]) => Number(id),
    )
  for (const status of ['unread', 'read', 'pinned'] as const)
    assert.deepEqual([...new Set(await listed(status))], [ids[status]])
  assert.deepEqual([...new Set(await listed('all'))], [ids.pinned, ids.read, ids.unread])
  assert.deepEqual(await listed('nonsense'), await listed('unread'))
  assert.equal(menuCount((await get('/overview', cookie)).text), '1')
  // The engine is private.
  assert.match((await get('/notifications', cookie)).text, /Something that you may no longer see/)
})

test('the page of an issue marks what is unread about it as read, for its reader alone', async () => {
  const me = await make.person()
  const cookie = await signIn(me.name)
  const { id, number } = await issueOf('foreign')
  const [mine, other] = [await threadAbout(me, id), await threadAbout(ada, id)]
  const elsewhere = await thread(me, 'another')
  assert.equal((await get(`/eve/foreign/issues/${number}?ahead=true`, cookie)).status, 200)
  assert.equal(await statusOf(mine), 'unread', 'a script that reads the page is not its reader')
  const shown = await get(`/eve/foreign/issues/${number}`, cookie)
  assert.deepEqual([shown.status, menuCount(shown.text)], [200, '1'], 'the menu counts what is unread then')
  assert.deepEqual(await Promise.all([mine, other, elsewhere].map(statusOf)), ['read', 'unread', 'unread'])
})

test('GET /notifications has pages, and the menu counts to a hundred', async () => {
  const me = await make.person()
  const cookie = await signIn(me.name)
  await pool`
    insert into forge.notification (account_id, repository_id, source, status, updated_at)
    select ${me.id}, ${engine.id}, 'repository', 'unread', ${clock.now()} from generate_series(1, 120)`
  const first = (await get('/notifications', cookie)).text
  assert.equal(menuCount(first), '99+')
  assert.match(first, /notifications\?status=unread&amp;page=2">Older/)
  assert.doesNotMatch((await get('/notifications?page=3', cookie)).text, />Older</)
})

test('POST /notifications marks a notification of the caller, and leads back to its list', async () => {
  const id = await thread(ada, 'mark me')
  const cookie = await signIn('ada')
  assert.match((await get('/notifications', cookie)).text, /issues\/\d+">mark me<\/a>/)
  const mark = (to: string, more: Record<string, string> = {}, by = cookie) =>
    post('/notifications', { action: 'mark', id: String(id), to, status: 'all', page: '1', ...more }, by)
  for (const to of ['read', 'pinned', 'unread']) {
    const { status, location } = await mark(to)
    assert.deepEqual([status, location], [303, `${root}notifications?status=all&page=1&done=1`])
    assert.equal(await statusOf(id), to)
  }
  assert.match(
    (await get('/notifications?done=1', cookie)).text,
    /role="status" tabindex="-1" autofocus>Done/,
  )
  assert.equal((await mark('read', {}, await signIn('eve'))).status, 404)
  for (const wrong of ['0', '-1', 'x', '999999', ''])
    assert.equal((await mark('read', { id: wrong })).status, 404)
  for (const wrong of ['', 'gone', ...hostile]) assert.equal((await mark(wrong)).status, 400)
  assert.equal((await mark('read', { action: 'dance' })).status, 400)
  assert.equal(await statusOf(id), 'unread')
})

test('POST /notifications marks all unread ones that the page has shown as read', async () => {
  const me = await make.person()
  const cookie = await signIn(me.name)
  const [first, pinned] = [await thread(me, 'first'), await thread(me, 'pinned', 'pinned')]
  const { text } = await get('/notifications', cookie)
  const [, until = ''] = /name="until" value="([^"]+)"/.exec(text) ?? []
  clock.tick(1000)
  const later = await thread(me, 'later')
  assert.equal((await post('/notifications', { action: 'mark-all', until }, cookie)).status, 303)
  assert.deepEqual(
    [await statusOf(first), await statusOf(pinned), await statusOf(later)],
    ['read', 'pinned', 'unread'],
  )
  for (const wrong of ['', 'x', '9999-99-99T00:00:00.000Z', "2026-01-01T00:00:00.000Z' or 1"])
    assert.equal((await post('/notifications', { action: 'mark-all', until: wrong }, cookie)).status, 400)
})

test('pages of notifications are for who is signed in', async () => {
  assert.equal((await get('/notifications')).location, `${root}login?next=/notifications`)
  assert.equal((await post('/notifications', {})).status, 303)
  const cookie = await signIn('', await make.token(ada, 'read:user'))
  assert.equal((await get('/notifications', cookie)).status, 403)
  assert.doesNotMatch((await get('/', cookie)).text, /notifications/)
})
