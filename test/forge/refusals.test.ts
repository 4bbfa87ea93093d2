import assert from 'node:assert/strict'
import { test } from 'node:test'
import { updateAccount } from '../../src/forge/accounts/account-store.ts'
import type { Mounted } from '../../src/http/route/api.ts'
import { startApp } from '../support/app.ts'
import { basic, bearer } from '../support/forge/make.ts'

const app = await startApp()
const { call, make } = app
const boss = await make.admin({ name: 'boss' })

/** The routes whose access check looks callers up; their names have the scopes of tokens. */
const routes = app.app.routes.filter(({ route }) => /\)$/.test(route.access.name))

/** Pages take forms of their own origin only. */
const ownPage = { 'sec-fetch-site': 'same-origin' }

/** The request of each route: values of its parameters, 1 by default, and a query. */
interface Asked {
  names?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string>>
  among?: readonly Mounted[]
}

/** What these routes answer, where it is not the status that all of them declare. */
async function exceptions(
  status: number,
  as: { authorization: string },
  { names = {}, query = {}, among = routes }: Asked = {},
): Promise<string[]> {
  const declaring = among.filter(({ route }) => route.fails.includes(status))
  assert.ok(declaring.length > 10, 'the routes were found')
  const others: string[] = []
  for (const { method, path } of declaring) {
    const sent = { as, query, params: valuesFor(path, names), headers: ownPage }
    const answered = await call(`${method} ${path}`, sent)
    if (answered.status !== status) others.push(`${method} ${path} ${answered.status}`)
  }
  return others
}

/** A value for each parameter of a path. */
function valuesFor(path: Mounted['path'], names: Readonly<Record<string, string>>) {
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  return Object.fromEntries(params.map((name) => [name, names[name] ?? '1']))
}

test('every route that declares 401 answers it to a token that there is not', async () => {
  assert.deepEqual(await exceptions(401, bearer('f'.repeat(40))), [])
})

test('every route that declares 403 answers it to who must change the password first', async () => {
  const eve = await make.person()
  await make.begin((tx) => updateAccount(tx, eve.id, { must_change_password: true }))
  assert.deepEqual(await exceptions(403, eve), [])
})

test('every route that declares 429 answers it after too many wrong passwords', async () => {
  const guess = basic('mallory', 'wrong')
  for (let time = 0; time < 10; time++)
    assert.equal((await call('GET /api/v1/user', { as: guess })).status, 401)
  assert.deepEqual(await exceptions(429, guess), [])
})

test('every route that declares 307 answers it under the former name of an account', async () => {
  const owner = await make.person({ name: 'owner' })
  await make.organization(owner, { name: 'guild' })
  for (const [literal, params] of [
    ['POST /api/v1/admin/users/{username}/rename', { username: 'owner' }],
    ['POST /api/v1/orgs/{org}/rename', { org: 'guild' }],
  ] as const) {
    const body = literal.includes('org}') ? { new_name: 'renamed_guild' } : { new_username: 'renamed' }
    assert.equal((await call(literal, { as: boss, params, body })).status, 204)
  }
  assert.deepEqual(
    await exceptions(307, boss, { names: { owner: 'owner', username: 'owner', org: 'guild' } }),
    [],
  )
})

/** These make what their last parameter names, or find nothing to name: only who is acted for can be missing. */
const isWithoutTarget = ({ path, method }: Mounted) =>
  !path.includes('{') ||
  (method !== 'GET' &&
    method !== 'DELETE' &&
    /^\/api\/v1\/(?:user|admin)\/actions\/(?:secrets|variables)/.test(path))

/** A form about something of one's own: it is read before that is looked for. `pages/owned` tests wrong ids. */
const isOwnForm = ({ path, method }: Mounted) => method === 'POST' && path.startsWith('/settings/')

test('every route that declares 404 answers it to unknown names', async () => {
  const [without, others] = [[], []] as [Mounted[], Mounted[]]
  for (const each of routes)
    if (isWithoutTarget(each)) without.push(each)
    else if (!isOwnForm(each)) others.push(each)
  const nothing = new Proxy({}, { get: () => 'nothing' })
  assert.deepEqual(await exceptions(404, boss, { names: nothing, among: others }), [])
  assert.deepEqual(await exceptions(404, boss, { query: { sudo: 'nobody' }, among: without }), [])
})
