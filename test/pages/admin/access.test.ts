import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { basic, makersFor } from '../../support/forge/make.ts'
import { root, sameOrigin, send } from '../browser.ts'
import { signedIn } from './browser.ts'

const app = await startApp()
const make = makersFor(app)
const boss = await make.admin({ name: 'boss' })
await make.person({ name: 'ada' })

/** The pages and forms of the administration. */
const routes = app.app.routes.filter(({ path }) => /^\/-\/admin(?:\/|$)/.test(path))

/** A path of each, with these values for its parameters. */
const pathOf = ({ path }: { path: string }, names: Readonly<Record<string, string>> = {}) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? '1')

/** Asks for a page or sends an empty form. */
const ask = ({ method }: { method: string }, path: string, headers: Record<string, string> = {}) =>
  method === 'GET'
    ? fetch(app.url + path, { redirect: 'manual', headers: { ...sameOrigin, ...headers } })
    : send(app.url, path, {}, headers)

/** What the routes answer instead of a status. */
async function others(
  status: number,
  among: typeof routes,
  ask: (route: (typeof routes)[number]) => Promise<Response>,
): Promise<string[]> {
  const lines: string[] = []
  for (const route of among) {
    const response = await ask(route)
    const text = await response.text()
    if (response.status !== status) lines.push(`${route.method} ${route.path} ${response.status} ${text}`)
  }
  return lines
}

test('GET /-/admin and all below it lead to the sign-in page and back, and forms too', async () => {
  assert.ok(routes.length > 5, 'the routes were found')
  for (const route of routes) {
    const response = await ask(route, pathOf(route))
    assert.equal(response.status, 303, route.path)
    const location = new URL(response.headers.get('location') ?? '')
    assert.equal(location.pathname, '/login')
    if (route.method === 'GET') assert.equal(location.searchParams.get('next'), pathOf(route))
  }
})

test('who is no administrator is refused, and offered no sign-in', async () => {
  const { cookie } = await signedIn(app, 'ada')
  assert.deepEqual(await others(403, routes, (route) => ask(route, pathOf(route), { cookie })), [])
  const page = await (await fetch(`${app.url}/-/admin`, { headers: { ...sameOrigin, cookie } })).text()
  assert.match(page, /user should be the site admin/)
  assert.doesNotMatch(page, />Sign in</)
  const home = await (await fetch(`${app.url}/`, { headers: { ...sameOrigin, cookie } })).text()
  assert.doesNotMatch(home, /Administration/)
})

test('the menu of administrators has the administration', async () => {
  const { page } = await signedIn(app, 'boss')
  assert.match(await page('/'), /href="https:\/\/forgehall\.example\/-\/admin">Administration/)
})

test('a form of another site changes nothing', async () => {
  const { cookie } = await signedIn(app, 'boss')
  const forms = routes.filter(({ method }) => method === 'POST')
  const foreign = { cookie, 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example' }
  assert.deepEqual(await others(403, forms, (route) => ask(route, pathOf(route), foreign)), [])
})

test('pages about unknown accounts and rows are 404', async () => {
  const declaring = routes.filter(({ path, route }) => path.includes('{') && route.fails.includes(404))
  const names = { username: 'nobody', owner: 'nobody', repo: 'nothing', slug: 'nothing', task: 'nothing' }
  const { authorization } = boss
  const asking = (route: (typeof routes)[number]) => ask(route, pathOf(route, names), { authorization })
  assert.deepEqual(await others(404, declaring, asking), [])
})

test('an account is found under its former name', async () => {
  await make.person({ name: 'former' })
  const { done, refused, cookie } = await signedIn(app, 'boss')
  await done('/-/admin/users/former/rename', { new_username: 'latter' })
  const page = await refused('/-/admin/new/organization', { owner: 'former', username: 'club' })
  assert.match(page, /There is nobody of this name/)
  const declaring = routes.filter(({ route }) => route.fails.includes(307))
  assert.ok(declaring.length > 2, 'the routes were found')
  for (const route of declaring) {
    const response = await ask(route, pathOf(route, { username: 'former' }), { cookie })
    assert.equal(response.status, 307)
    const moved = pathOf(route, { username: 'latter' })
    assert.equal(new URL(response.headers.get('location') ?? '', root).pathname, moved)
  }
})

test('too many wrong passwords are answered with 429', async () => {
  const guess = basic('mallory', 'wrong')
  for (let time = 0; time < 10; time++) await app.call('GET /api/v1/user', { as: guess })
  assert.deepEqual(await others(429, routes, (route) => ask(route, pathOf(route), guess)), [])
})
