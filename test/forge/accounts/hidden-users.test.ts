import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountByName, renameAccount, updateAccount } from '../../../src/forge/accounts/account-store.ts'
import { startApp } from '../../support/app.ts'
import { bearer } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'
import { newKeyLine } from '../../support/forge/ssh-key.ts'

/**
 * A caller who may not see a user gets the same answer as for an unknown name. The names have three
 * letters that are in no sentence, so that answers differ in nothing but the name.
 */

const app = await startApp()
const { call, pool, url, make } = app

const boss = await make.admin({ name: 'boss' })
const [ada, eve] = await make.people('ada', 'eve')
const narrow = bearer(await make.token(eve, 'public-only', 'all'))
const hid = await make.person({ name: 'zqo', full_name: 'Full Name' })
await make.begin(async (tx) => {
  const account = await accountByName(tx, 'zqo')
  assert.ok(account)
  await renameAccount(tx, account, 'zqa')
  await updateAccount(tx, account.id, { visibility: 'private' })
})
const lim = await make.person({ name: 'lim', visibility: 'limited' })

const crew = await make.organization(ada, { name: 'crew' })
const team = await make.team(crew, [])
await make.repository(ada, { name: 'code' })
await make.repository({ ...hid, name: 'zqa' }, { name: 'code' })
const ISSUES = 'POST /api/v1/repos/{owner}/{repo}/issues'
const ofCode = { owner: 'ada', repo: 'code' }
assert.equal((await call(ISSUES, { as: ada, params: ofCode, body: { title: 'x' } })).status, 201)

const others: Readonly<Record<string, string | number>> = {
  org: 'crew',
  owner: 'ada',
  repo: 'code',
  id: team.id,
  index: 1,
  username: 'ada',
}

type As = { authorization: string } | undefined
interface Input {
  as: As
  param: string
  body?: (name: string) => unknown
}

/** All that a caller hears of a name, in lower case and with the name itself replaced. */
async function heard(
  literal: string,
  name: string,
  { as, param, body = () => ({}) }: Input,
): Promise<string[]> {
  const [method = '', path = ''] = literal.split(' ')
  const target = path.replace(/\{(\w+)\}/g, (_, each: string) =>
    encodeURIComponent(each === param ? name : (others[each] ?? 1)),
  )
  const sends = method === 'GET' ? {} : { body: JSON.stringify(body(name)) }
  const headers = { 'content-type': 'application/json', ...as }
  const answer = await fetch(url + target, { method, headers, redirect: 'manual', ...sends })
  const shown = ['content-type', 'location', 'www-authenticate', 'x-total-count', 'etag']
  const values = shown.map((header) => `${header}: ${answer.headers.get(header)}`)
  const all = [String(answer.status), await answer.text(), ...values]
  return all.map((each) => each.toLowerCase().replaceAll(name.toLowerCase(), '###'))
}

/** A private user, also in capitals and by its former name, and an unknown name. */
async function likeNobody(literal: string, wish: Input): Promise<void> {
  const names = ['zqx', 'zqa', 'ZQA', 'zqo']
  const [ofNobody, ...ofHidden] = await Promise.all(names.map((name) => heard(literal, name, wish)))
  for (const answer of ofHidden) assert.deepEqual(answer, ofNobody, literal)
}

const NAMES = ['username', 'user', 'collaborator', 'owner', 'org']

test('a private user is answered like an unknown one wherever a path names one, also by a former name', async () => {
  const checked = new Set<string>()
  for (const { method, path, route } of app.app.routes) {
    const { name } = route.access
    for (const param of NAMES.filter((each) => path.includes(`{${each}}`))) {
      // Owners and organizations are looked at by the permission alone, so once for each will do.
      const isSubject = param === 'owner' || param === 'org'
      const kind = isSubject ? `${name} ${param} ${method}` : `${method} ${path} ${param}`
      if (name.startsWith('siteAdmin') || checked.has(kind)) continue
      checked.add(kind)
      for (const as of isSubject ? [undefined, eve, narrow] : [undefined, eve, narrow, ada])
        await likeNobody(`${method} ${path}`, { as: as && { authorization: as.authorization }, param })
    }
  }
  assert.ok(checked.size > 40)
})

const to = (literal: string, as: As, params: object = {}, body?: unknown) =>
  call(literal, { params: { ...others, ...params }, ...(as && { as }), ...(body !== undefined && { body }) })
const statuses = async (...answers: Promise<{ status: number }>[]) =>
  (await Promise.all(answers)).map(({ status }) => status)

const MEMBER = '/api/v1/orgs/{org}/members/{username}'
const PUBLIC_MEMBER = '/api/v1/orgs/{org}/public_members/{username}'
const TEAM_MEMBER = '/api/v1/teams/{id}/members/{username}'
const COLLABORATOR = '/api/v1/repos/{owner}/{repo}/collaborators/{collaborator}'
const SUBSCRIPTION = '/api/v1/repos/{owner}/{repo}/issues/{index}/subscriptions/{user}'

test(`PUT ${TEAM_MEMBER} does not add users whom the caller may not see`, async () => {
  const username = 'zqa'
  const unknown = `user redirect does not exist [name: ${username}]`
  holdRefusal(await to(`PUT ${TEAM_MEMBER}`, ada, { username }), 404, unknown)
  assert.equal((await to('GET /api/v1/teams/{id}/members', ada)).body.length, 0)
  assert.equal((await to(`PUT ${TEAM_MEMBER}`, boss, { username })).status, 204)
  // From then on, callers who list the members see it as a member, and no other callers do.
  const second = await make.team(crew, [])
  assert.deepEqual(
    await statuses(
      to(`GET ${MEMBER}`, ada, { username }),
      to(`GET ${TEAM_MEMBER}`, ada, { username }),
      to(`PUT ${TEAM_MEMBER}`, ada, { username, id: second.id }),
      to(`GET ${MEMBER}`, eve, { username }),
      to(`GET ${PUBLIC_MEMBER}`, undefined, { username }),
    ),
    [204, 200, 204, 404, 404],
  )
  for (const as of [undefined, eve]) {
    await likeNobody(`GET ${PUBLIC_MEMBER}`, { as, param: 'username' })
    await likeNobody(`GET ${MEMBER}`, { as, param: 'username' })
  }
  const own = { authorization: hid.authorization }
  assert.equal((await to(`PUT ${PUBLIC_MEMBER}`, own, { username })).status, 204)
  assert.deepEqual(
    await statuses(
      to(`GET ${PUBLIC_MEMBER}`, undefined, { username }),
      to(`GET ${MEMBER}`, eve, { username }),
    ),
    [204, 303],
  )
  assert.equal((await to(`DELETE ${TEAM_MEMBER}`, ada, { username, id: second.id })).status, 204)
  assert.equal((await to(`DELETE ${MEMBER}`, ada, { username })).status, 204)
  await likeNobody(`DELETE ${MEMBER}`, { as: ada, param: 'username' })
})

test(`PUT ${COLLABORATOR} does not add users whom the caller may not see`, async () => {
  const collaborator = 'zqa'
  const unknown = `user does not exist [name: ${collaborator}]`
  holdRefusal(await to(`PUT ${COLLABORATOR}`, ada, { collaborator }, {}), 422, unknown)
  assert.equal((await to('GET /api/v1/repos/{owner}/{repo}/collaborators', ada)).body.length, 0)
  assert.equal((await to(`PUT ${COLLABORATOR}`, boss, { collaborator }, { permission: 'read' })).status, 204)
  const permission = await to(`GET ${COLLABORATOR}/permission`, ada, { collaborator })
  assert.deepEqual([permission.status, permission.body.permission], [200, 'read'])
  assert.deepEqual(
    [
      (await to(`GET ${COLLABORATOR}`, eve, { collaborator })).status,
      (await to(`PUT ${COLLABORATOR}`, ada, { collaborator }, { permission: 'write' })).status,
      (await to(`DELETE ${COLLABORATOR}`, ada, { collaborator })).status,
      (await to(`DELETE ${COLLABORATOR}`, ada, { collaborator })).status,
    ],
    [204, 204, 204, 422],
  )
})

test(`PUT ${COLLABORATOR} adds members of the organization that the caller is in`, async () => {
  const readers = await make.team(crew, [hid])
  const tools = await make.repository(crew, { name: 'tools' })
  const params = { owner: 'crew', repo: tools.name, collaborator: 'zqa' }
  assert.equal((await to(`PUT ${COLLABORATOR}`, ada, params, {})).status, 204)
  assert.equal((await to(`DELETE ${COLLABORATOR}`, ada, params)).status, 204)
  assert.equal((await to('DELETE /api/v1/teams/{id}', ada, { id: readers.id })).status, 204)
  assert.equal((await to(`PUT ${COLLABORATOR}`, ada, params, {})).status, 422)
})

test('a limited user is not there for restricted users and for who is not signed in', async () => {
  const rex = await make.person({ is_restricted: true })
  const own = await make.repository(rex, { name: 'own' })
  const params = { owner: rex.name, repo: own.name, collaborator: lim.name }
  assert.equal((await to(`PUT ${COLLABORATOR}`, rex, params, {})).status, 422)
  assert.equal((await to(`PUT ${COLLABORATOR}`, ada, { collaborator: lim.name }, {})).status, 204)
  const anonymous = await to(`GET ${PUBLIC_MEMBER}`, undefined, { username: lim.name })
  holdRefusal(anonymous, 404, `user redirect does not exist [name: ${lim.name}]`)
})

test(`${ISSUES} does not assign users whom the caller may not see, unless they may write`, async () => {
  const body = (name: string) => ({ title: 'x', assignees: [name] })
  await likeNobody(ISSUES, { as: ada, param: 'none', body })
  const secret = await make.admin({ visibility: 'private' })
  const open = async (as: As, name: string) => to(ISSUES, as, {}, body(name))
  holdRefusal(await open(ada, secret.name), 422, `Assignee does not exist: [name: ${secret.name}]`)
  assert.equal((await open(boss, secret.name)).status, 201)
  assert.equal((await to(`PUT ${COLLABORATOR}`, boss, { collaborator: 'zqa' }, {})).status, 204)
  assert.equal((await open(ada, 'zqa')).status, 201)
  assert.equal((await to(`DELETE ${COLLABORATOR}`, ada, { collaborator: 'zqa' })).status, 204)
})

test(`PUT ${SUBSCRIPTION} refuses to subscribe other users, and does not reveal hidden ones`, async () => {
  holdRefusal(
    await to(`PUT ${SUBSCRIPTION}`, eve, { user: 'ada' }),
    403,
    'eve is not permitted to change subscriptions for ada',
  )
  holdRefusal(
    await to(`PUT ${SUBSCRIPTION}`, eve, { user: 'zqa' }),
    404,
    'user redirect does not exist [name: zqa]',
  )
  assert.equal((await to(`PUT ${SUBSCRIPTION}`, boss, { user: 'zqa' })).status, 201)
})

test('DELETE /api/v1/user/keys/{id} does not reveal the key of a private user', async () => {
  const add = async (as: As): Promise<number> => {
    const { body } = await to('POST /api/v1/user/keys', as, {}, { title: 'one', key: newKeyLine() })
    return body.id
  }
  const [own, hidden] = [await add(ada), await add({ authorization: hid.authorization })]
  const remove = (id: number, as: As = eve) => to('DELETE /api/v1/user/keys/{id}', as, { id })
  holdRefusal(await remove(own), 403, 'You do not have access to this key')
  holdRefusal(await remove(hidden), 404, 'not found')
  holdRefusal(await remove(9_999_999), 404, 'not found')
  assert.equal((await remove(hidden, { authorization: hid.authorization })).status, 204)
})

test('a former name leads to a private account only whom may see it or use its repository', async () => {
  const closed = await make.organization(ada, { name: 'closed', visibility: 'private' })
  await make.begin((tx) => renameAccount(tx, closed, 'shut'))
  const show = (as: As) => to('GET /api/v1/orgs/{org}', as, { org: 'closed' })
  assert.deepEqual(await statuses(show(ada), show(boss), show(eve), show(undefined)), [307, 307, 404, 404])
  const repo = (as: As) => to('GET /api/v1/repos/{owner}/{repo}', as, { owner: 'zqo' })
  assert.deepEqual(await statuses(repo(eve), repo(boss), repo(undefined)), [404, 307, 404])
  const account = await accountByName(pool, 'zqa')
  assert.ok(account)
  const params = { owner: 'zqa', repo: 'code', collaborator: 'eve' }
  const own = { authorization: hid.authorization }
  assert.equal((await to(`PUT ${COLLABORATOR}`, own, params, { permission: 'read' })).status, 204)
  const led = await repo(eve)
  assert.deepEqual([led.status, led.headers.get('location')], [307, '/api/v1/repos/zqa/code'])
})

test('with a public-only token, an organization that its owner may not see is answered like an unknown one', async () => {
  const show = (org: string) => to('GET /api/v1/orgs/{org}', narrow, { org })
  await make.organization(ada, { name: 'secret', visibility: 'private' })
  await make.organization(ada, { name: 'for-users', visibility: 'limited' })
  for (const org of ['secret', 'no-such']) holdRefusal(await show(org), 404, 'not found')
  holdRefusal(await show('for-users'), 403, 'token scope is limited to public orgs')
})
