import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp, type TestApp } from '../support/app.ts'
import { makersFor, samePassword } from '../support/forge/make.ts'
import { browserHeaders, browserOf, cookieOf } from './browser.ts'

const app = await startApp()
const { call, pool, clock } = app
const make = makersFor(app)
const [ada, eve] = [await make.person({ name: 'ada' }), await make.person({ name: 'eve' })]
await make.repository(ada, { name: 'secret', is_private: true })
await make.repository(ada, { name: 'open' })

const signIn = (fields: Parameters<typeof cookieOf>[1], { url }: Pick<TestApp, 'url'> = app) =>
  cookieOf(url, fields)
const statusOf = (path: string, headers: Record<string, string>, { url }: Pick<TestApp, 'url'> = app) =>
  browserOf(url).statusOf(path, headers)
const asAda = { user: 'ada', password: samePassword }
const secret = '/ada/secret'

test('a browser that is signed in sees the private pages that its account may read', async () => {
  const cookie = await signIn(asAda)
  for (const path of [secret, `${secret}/issues`, `${secret}/actions`])
    assert.equal(await statusOf(path, { cookie }), 200, path)
  const page = await fetch(`${app.url}/ada`, { headers: { ...browserHeaders, cookie } })
  assert.match(await page.text(), /ada\/secret/)
  const other = await signIn({ user: 'eve', password: samePassword })
  assert.equal(await statusOf(secret, { cookie: other }), 404)
  assert.equal(await statusOf('/ada/open', { cookie: other }), 200)
  for (const forged of ['__Host-forgehall=x', `__Host-forgehall=${'a'.repeat(43)}`])
    assert.deepEqual(
      [await statusOf(secret, { cookie: forged }), await statusOf('/ada/open', { cookie: forged })],
      [404, 200],
    )
})

test('who is signed in makes no page that others get, and gets none that others made', async () => {
  const cookie = await signIn(asAda)
  const otherCookie = await signIn({ user: 'eve', password: samePassword })
  const read = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(app.url + path, { headers: { ...browserHeaders, ...headers } })).text()
  for (let time = 0; time < 2; time++) {
    for (const path of ['/', '/overview']) {
      assert.match(await read(path, { cookie }), /Your profile/)
      assert.doesNotMatch(await read(path), /Your profile/)
      assert.match(await read(path, { cookie: otherCookie }), /href="[^"]*\/eve">Your profile/)
    }
    assert.match(await read('/ada', { cookie }), /ada\/secret/)
    assert.doesNotMatch(await read('/ada'), /ada\/secret/)
    assert.deepEqual([await statusOf(secret, { cookie }), await statusOf(secret, {})], [200, 404])
    assert.match(await read('/login', { cookie }), /Signed in as/)
    assert.doesNotMatch(await read('/login'), /Signed in as/)
  }
})

test('the API, git and changes do not accept a session', async () => {
  const cookie = await signIn(asAda)
  assert.equal(await statusOf('/api/v1/repos/ada/secret', { cookie }), 404)
  assert.equal(await statusOf('/api/v1/user', { cookie }), 401)
  assert.equal(await statusOf(`${secret}.git/info/refs?service=git-upload-pack`, { cookie }), 401)
  const posted = await call('POST /api/v1/user/repos', { headers: { cookie }, body: { name: 'made' } })
  assert.equal(posted.status, 401)
})

test('credentials of a request come before its session', async () => {
  const cookie = await signIn(asAda)
  assert.equal(await statusOf(secret, { cookie, authorization: eve.authorization }), 404)
  assert.equal(await statusOf(secret, { cookie, authorization: 'token nonsense' }), 401)
})

test('answers to a session or to credentials may not be stored: pages, files, refusals, redirects', async () => {
  const cookie = await signIn(asAda)
  await call('POST /api/v1/user/repos', { as: ada, body: { name: 'kept', private: true, auto_init: true } })
  const stored = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(app.url + path, {
      headers: { ...browserHeaders, ...headers },
      redirect: 'manual',
    })
    await response.arrayBuffer()
    return [response.status, response.headers.get('cache-control')]
  }
  const cases: [path: string, status: number, anonymous: number][] = [
    ['/ada/kept', 200, 404],
    ['/ada/kept/raw/branch/main/README.md', 200, 404],
    ['/ada', 200, 200],
    ['/ada/nothing', 404, 404],
    ['/login', 200, 200],
    ['/overview/manage', 403, 303],
  ]
  for (const [path, status, anonymous] of cases) {
    assert.deepEqual(await stored(path, { cookie }), [status, 'private, no-store'], path)
    assert.deepEqual(await stored(path, { cookie: `a=b; ${cookie}` }), [status, 'private, no-store'], path)
    assert.deepEqual(await stored(path, {}), [anonymous, 'no-cache'], path)
  }
  const { authorization } = ada
  assert.deepEqual(await stored('/ada/kept', { authorization }), [200, 'private, no-store'])
  assert.deepEqual(await stored('/overview', { cookie }), [200, 'private, no-store'])
  assert.deepEqual(await stored('/overview', {}), [200, 'no-cache'])
})

test('GET /{username} names private repositories only to a session whose token reads repositories', async () => {
  const listed = async (...scopes: string[]) => {
    const cookie = await signIn({ password: await make.token(ada, ...scopes) })
    const response = await fetch(`${app.url}/ada`, { headers: { ...browserHeaders, cookie } })
    assert.equal(response.status, 200)
    return [...(await response.text()).matchAll(/href="[^"]*\/ada\/(secret|open)"/g)]
      .map(([, name]) => name)
      .sort()
  }
  assert.deepEqual(await listed('read:user'), ['open'])
  assert.deepEqual(await listed('read:user', 'read:issue'), ['open'])
  assert.deepEqual(await listed('read:user', 'read:repository'), ['open', 'secret'])
})

test('a session of a token sees what the token may read', async () => {
  const all = await signIn({ password: await make.token(ada, 'read:repository') })
  assert.equal(await statusOf(secret, { cookie: all }), 200)
  assert.equal(await statusOf(`${secret}/issues`, { cookie: all }), 403)
  const open = await signIn({ password: await make.token(ada, 'read:repository', 'public-only') })
  assert.deepEqual(
    [await statusOf(secret, { cookie: open }), await statusOf('/ada/open', { cookie: open })],
    [403, 200],
  )
})

test('the end of a session hides private pages, and leaves the public ones', async () => {
  const ends = async (end: () => unknown, undo: () => unknown = () => undefined) => {
    const cookie = await signIn(asAda)
    assert.equal(await statusOf(secret, { cookie }), 200)
    await end()
    assert.deepEqual(
      [await statusOf(secret, { cookie }), await statusOf('/ada/open', { cookie })],
      [404, 200],
    )
    await undo()
  }
  await ends(
    () => pool`update forge.account set prohibit_login = true where name = 'ada'`,
    () => pool`update forge.account set prohibit_login = false where name = 'ada'`,
  )
  await ends(() => pool`delete from forge.web_session`)
  await ends(() => clock.tick(12 * 3_600_000))
})

test('with REQUIRE_SIGNIN a session opens the pages of the forge', async () => {
  const closed = await startApp({ REQUIRE_SIGNIN: 'true' })
  await makersFor(closed).person({ name: 'ada' })
  assert.equal(await statusOf('/ada', {}, closed), 403)
  assert.equal(await statusOf('/ada', { cookie: await signIn(asAda, closed) }, closed), 200)
})

test('a repository shows each visitor the tabs of the units that they may read', async () => {
  const works = await make.organization(ada, { name: 'works' })
  const body = { name: 'crane', private: true }
  await call('POST /api/v1/orgs/{org}/repos', { as: ada, params: { org: 'works' }, body })
  await call('POST /api/v1/user/repos', { as: ada, body: { name: 'shown' } })
  const units = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'read' as const]))
  const members = await make.people('mia', 'max', 'moe')
  const unitsByTeam = [['repo.code', 'repo.issues'], ['repo.actions'], ['repo.code', 'repo.actions']]
  for (const [at, names] of unitsByTeam.entries())
    await make.team(works, [members[at] ?? ada], { units: units(...names), includes_all_repositories: true })
  const tabsOf = async (path: string, cookie?: string) => {
    const page = await (
      await fetch(app.url + path, { headers: { ...browserHeaders, ...(cookie && { cookie }) } })
    ).text()
    const [, tabs = ''] = /<nav aria-label="Repository">(.*?)<\/nav>/s.exec(page) ?? []
    const found = [...tabs.matchAll(/href="https:\/\/forgehall\.example([^"]+)"[^>]*>(\w+)</g)]
    const statuses = await Promise.all(found.map(([, to = '']) => statusOf(to, cookie ? { cookie } : {})))
    assert.deepEqual(new Set(statuses), new Set([200]), `${path}: every tab leads somewhere`)
    return found.map(([, , word]) => word).join()
  }
  const cookies = await Promise.all(members.map(({ name }) => signIn({ user: name, password: samePassword })))
  assert.equal(await tabsOf('/works/crane', cookies[0]), 'Code,Issues,Branches,Tags')
  assert.equal(await tabsOf('/works/crane/actions', cookies[1]), 'Actions')
  assert.equal(await tabsOf('/works/crane', cookies[2]), 'Code,Actions,Branches,Tags')
  assert.equal(
    await tabsOf('/works/crane', await signIn(asAda)),
    'Code,Issues,Actions,Branches,Tags,Releases,Settings',
  )
  const token = await signIn({ password: await make.token(ada, 'read:repository') })
  assert.equal(await tabsOf('/works/crane', token), 'Code,Actions,Branches,Tags,Releases')
  assert.equal(await tabsOf('/ada/shown', cookies[1]), 'Code,Issues,Actions,Branches,Tags,Releases')
  assert.equal(await tabsOf('/ada/shown'), 'Code,Issues,Actions,Branches,Tags,Releases')
})
