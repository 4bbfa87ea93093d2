import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  accountByName,
  insertAccount,
  renameAccount,
  updateAccount,
} from '../../../src/forge/accounts/account-store.ts'
import { everyone, signedIn, signedInFully, siteAdmin, siteAdminOn } from '../../../src/forge/auth/access.ts'
import type { Caller } from '../../../src/forge/auth/caller.ts'
import { orgMember, orgOwner, orgSeen, teamMember, teamOwner } from '../../../src/forge/auth/org-access.ts'
import { signedInUserSeen, userSeen } from '../../../src/forge/auth/user-access.ts'
import type { ForgeTools } from '../../../src/forge/route.ts'
import { Problem } from '../../../src/http/route/problem.ts'
import type { Access } from '../../../src/http/route/route.ts'
import { startApp } from '../../support/app.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { type RequestFacts, requestContexts } from '../../support/request-context.ts'

const app = await startApp()
const { begin, ...make } = app.make
const contextFor = requestContexts(app)

const boss = await make.admin({ name: 'boss' })
const [owner, member, stranger] = await make.people('owner', 'member', 'stranger')
const restricted = await make.person({ name: 'restricted', is_restricted: true })
const everyKind = [
  ['anonymous', undefined],
  ['stranger', stranger],
  ['restricted', restricted],
  ['member', member],
  ['owner', owner],
  ['boss', boss],
] as const

const open = await make.organization(owner, { name: 'open' })
const limited = await make.organization(owner, { name: 'limited', visibility: 'limited' })
const closed = await make.organization(owner, { name: 'Closed', visibility: 'private' })
const teams = {
  open: await make.team(open, [member]),
  limited: await make.team(limited, [member]),
  closed: await make.team(closed, [member]),
}

type DeclaredAccess = Pick<Access<Caller, ForgeTools>, 'admit'>

/** "ok", or status and message of the refusal. */
async function outcomeOf(declared: DeclaredAccess, facts: RequestFacts): Promise<string> {
  try {
    await declared.admit(contextFor(facts))
    return 'ok'
  } catch (error) {
    if (error instanceof Problem) return `${error.status} ${error.message}`
    throw error
  }
}

/** What each kind of caller hears, in the order of `everyKind`. */
async function heardByAll(declared: DeclaredAccess, about: Omit<RequestFacts, 'as'> = {}): Promise<string[]> {
  const answers: string[] = []
  for (const [, as] of everyKind) answers.push((await outcomeOf(declared, { ...about, as })).slice(0, 3))
  return answers
}

const on = (name: string): Pick<RequestFacts, 'path' | 'params'> => ({
  path: '/things/{org}/{username}',
  params: { org: name, username: name },
})

test('everyone() lets everybody in, signedIn() all who are signed in, siteAdmin() administrators', async () => {
  assert.deepEqual(await heardByAll(everyone()), ['ok', 'ok', 'ok', 'ok', 'ok', 'ok'])
  assert.deepEqual(await heardByAll(signedIn()), ['401', 'ok', 'ok', 'ok', 'ok', 'ok'])
  assert.deepEqual(await heardByAll(siteAdmin()), ['401', '403', '403', '403', '403', 'ok'])
  assert.equal(await outcomeOf(signedIn(), {}), '401 token is required')
  assert.equal(await outcomeOf(siteAdmin(), { as: stranger }), '403 user should be the site admin')
})

test('siteAdminOn() looks for the account only for administrators', async () => {
  const declared = siteAdminOn()
  assert.deepEqual(await heardByAll(declared, on('Nobody')), ['401', '403', '403', '403', '403', '404'])
  assert.equal(
    await outcomeOf(declared, { as: boss, ...on('Nobody') }),
    '404 user redirect does not exist [name: nobody]',
  )
  for (const name of ['stranger', 'STRANGER', 'open', 'closed']) {
    assert.equal(await outcomeOf(declared, { as: boss, ...on(name) }), 'ok', name)
  }
  for (const name of ['', '..', 'a b', 'a\0', "' or 1=1 --", 'x'.repeat(5000), '%']) {
    assert.match(await outcomeOf(declared, { as: boss, ...on(name) }), /^404/, name.slice(0, 20))
  }
})

for (const [method, scope, level] of [
  ['GET', 'read:admin', 'read'],
  ['POST', 'write:admin', 'write'],
  ['PATCH', 'write:admin', 'write'],
  ['DELETE', 'write:admin', 'write'],
] as const) {
  test(`siteAdmin() wants ${scope} of a token for ${method}, and says so before the role`, async () => {
    const enough = bearer(await make.token(boss, scope))
    assert.equal(await outcomeOf(siteAdmin(), { as: enough, method }), 'ok')
    const lacking = bearer(await make.token(boss, 'write:user', 'write:organization'))
    const message = `token does not have at least one of required scope(s), required=[${level}:admin], token scope=write:organization,write:user`
    assert.equal(await outcomeOf(siteAdmin(), { as: lacking, method }), `403 ${message}`)
    const both = bearer(await make.token(stranger, 'write:user'))
    assert.match(await outcomeOf(siteAdmin(), { as: both, method }), /^403 token does not have/)
  })
}

test('all categories are needed, reading is implied by writing, and a password has them all', async () => {
  const declared = signedIn('organization', 'repository')
  const one = bearer(await make.token(stranger, 'write:organization'))
  assert.match(
    await outcomeOf(declared, { as: one, method: 'POST' }),
    /required=\[write:organization write:repository\]/,
  )
  const two = bearer(await make.token(stranger, 'write:organization', 'read:repository'))
  assert.equal(await outcomeOf(declared, { as: two }), 'ok')
  assert.match(await outcomeOf(declared, { as: two, method: 'PUT' }), /^403/)
})

test('orgSeen(): who sees an organization', async () => {
  const sees = (name: string) => heardByAll(orgSeen(), on(name))
  assert.deepEqual(await sees('open'), ['ok', 'ok', 'ok', 'ok', 'ok', 'ok'])
  assert.deepEqual(await sees('limited'), ['404', 'ok', '404', 'ok', 'ok', 'ok'])
  assert.deepEqual(await sees('closed'), ['404', '404', '404', 'ok', 'ok', 'ok'])
  assert.deepEqual(await sees('stranger'), ['404', '404', '404', '404', '404', '404'])
  assert.equal(await outcomeOf(orgSeen(), on('nobody')), '404 not found')
})

test('orgMember() and orgOwner() answer 403 to outsiders, not 404', async () => {
  for (const name of ['open', 'limited', 'closed']) {
    assert.deepEqual(await heardByAll(orgMember(), on(name)), ['401', '403', '403', 'ok', 'ok', 'ok'])
    assert.deepEqual(await heardByAll(orgOwner(), on(name)), ['401', '403', '403', '403', 'ok', 'ok'])
  }
  assert.equal(
    await outcomeOf(orgOwner(), { as: member, ...on('open') }),
    '403 Must be an organization owner',
  )
  assert.equal(
    await outcomeOf(orgMember(), { as: stranger, ...on('open') }),
    '403 Must be an organization member',
  )
  assert.equal(await outcomeOf(orgOwner(), on('nobody')), '404 not found', 'before asking who calls')
})

test('teamMember() and teamOwner() know the organization of a team', async () => {
  const about = (id: unknown) => ({ path: '/teams/{id}', params: { id: String(id) } })
  for (const { id } of Object.values(teams)) {
    assert.deepEqual(await heardByAll(teamMember(), about(id)), ['401', '404', '404', 'ok', 'ok', 'ok'])
    assert.deepEqual(await heardByAll(teamOwner(), about(id)), ['401', '403', '403', '403', 'ok', 'ok'])
  }
  const other = await make.team(open, [])
  assert.equal(await outcomeOf(teamMember(), { as: member, ...about(other.id) }), '403 Must be a team member')
  for (const id of [0, -1, 'x', '1e3', '9'.repeat(30), '']) {
    assert.equal(await outcomeOf(teamMember(), { as: boss, ...about(id) }), '404 not found')
  }
})

test('userSeen(): private users are seen by themselves and administrators, limited ones by who is signed in', async () => {
  const sees = (visibility: 'public' | 'limited' | 'private') => async (declared: DeclaredAccess) => {
    await begin((tx) => updateAccount(tx, member.id, { visibility }))
    return heardByAll(declared, on('member'))
  }
  assert.deepEqual(await sees('public')(userSeen()), ['ok', 'ok', 'ok', 'ok', 'ok', 'ok'])
  assert.deepEqual(await sees('limited')(userSeen()), ['404', 'ok', '404', 'ok', 'ok', 'ok'])
  assert.deepEqual(await sees('private')(userSeen()), ['404', '404', '404', 'ok', '404', 'ok'])
  assert.deepEqual(await sees('public')(signedInUserSeen()), ['401', 'ok', 'ok', 'ok', 'ok', 'ok'])
})

test('tokens for public things see public accounts only, and nothing of private rooms', async () => {
  const narrow = async (who: Somebody) => bearer(await make.token(who, 'public-only', 'all'))
  const as = await narrow(boss)
  assert.equal(await outcomeOf(orgSeen(), { as, ...on('open') }), 'ok')
  for (const declared of [orgSeen(), orgOwner(), orgMember()]) {
    assert.equal(
      await outcomeOf(declared, { as, ...on('closed') }),
      '403 token scope is limited to public orgs',
    )
  }
  await begin((tx) => updateAccount(tx, member.id, { visibility: 'private' }))
  assert.equal(
    await outcomeOf(userSeen(), { as, ...on('member') }),
    '403 token scope is limited to public users',
  )
  assert.equal(
    await outcomeOf(signedInFully(), { as: await narrow(stranger) }),
    '403 this endpoint is not available for public-only tokens',
  )
  assert.equal(await outcomeOf(signedInFully(), { as: stranger }), 'ok')
})

test('a former name is redirected to the new one by 307, for every method, with the same path and query', async () => {
  const account = await make.person({ name: 'Old.Name' })
  await renamed('old.name', 'New-Name')
  for (const method of ['GET', 'POST', 'PATCH', 'DELETE'] as const) {
    const problem = await problemOf(siteAdminOn(), {
      as: boss,
      method,
      path: '/admin/users/{username}/keys/{id}',
      params: { username: 'OLD.name', id: '7' },
      query: { purge: 'true' },
    })
    assert.equal(problem.status, 307)
    assert.equal(problem.extra.headers?.Location, '/api/v1/admin/users/New-Name/keys/7?purge=true')
  }
  await renamed('New-Name', 'Old.Name')
  assert.equal(
    await outcomeOf(siteAdminOn(), { as: boss, ...on('old.name') }),
    'ok',
    'back under the old name',
  )
  assert.equal((await problemOf(userSeen(), on('new-name'))).status, 307)
  await begin((tx) => updateAccount(tx, account.id, { visibility: 'private' }))
  const hidden = await problemOf(userSeen(), on('new-name'))
  const nobody = 'user redirect does not exist [name: new-name]'
  assert.deepEqual([hidden.status, hidden.message, hidden.extra.form], [404, nobody, undefined])
  await begin((tx) => insertAccount(tx, { kind: 'person', name: 'NEW-name' }))
  assert.equal(await outcomeOf(userSeen(), on('new-name')), 'ok', 'a new account takes the name over')
})

async function renamed(from: string, to: string): Promise<void> {
  const account = await accountByName(app.pool, from)
  assert.ok(account)
  await begin((tx) => renameAccount(tx, account, to))
}

async function problemOf(declared: DeclaredAccess, facts: RequestFacts): Promise<Problem> {
  try {
    await declared.admit(contextFor(facts))
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('it was let in')
}

test('the key of a shared answer differs for everybody to whom the answer may differ', async () => {
  const declared = orgSeen()
  const keys = new Set<string>()
  const narrow = bearer(await make.token(stranger, 'public-only', 'all'))
  for (const as of [undefined, stranger, narrow, restricted, member, owner, boss]) {
    for (const name of ['open']) {
      keys.add(declared.key?.(await declared.admit(contextFor({ as, ...on(name) }))) ?? '')
    }
  }
  assert.equal(keys.size, 7)
})
