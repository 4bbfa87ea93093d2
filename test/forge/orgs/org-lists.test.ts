import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VISIBILITIES } from '../../../src/forge/accounts/visibility.ts'
import { updateMembership } from '../../../src/forge/orgs/membership-store.ts'
import {
  pageOfMembers,
  pageOfMemberships,
  pageOfOrganizations,
  pageOfTeamMembers,
} from '../../../src/forge/orgs/org-store.ts'
import { pageOfTeams, pageOfTeamsOf } from '../../../src/forge/orgs/team-store.ts'
import { startApp } from '../../support/app.ts'
import type { Answered } from '../../support/client.ts'
import { onServer } from '../../support/database.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'
import { plansOf, vacuumed } from '../../support/plans.ts'

const app = await startApp()
const { call, pool, database } = app
const { begin, ...make } = app.make

const boss = await make.admin({ name: 'boss' })
const [ada, bob] = await make.people('ada', 'bob')
const restricted = await make.person({ name: 'restricted', is_restricted: true })

const open = await make.organization(ada, { name: 'Open', email: 'open@orgs.example' })
const limited = await make.organization(ada, { name: 'limited', visibility: 'limited' })
const closed = await make.organization(ada, { name: 'Closed', visibility: 'private' })
const other = await make.organization(bob, { name: 'an-other' })

const names = ({ body }: Answered): string[] => body.map(({ name }: { name: string }) => name)
const list = (literal: string, as?: { authorization: string }, params = {}, query = {}) =>
  call(literal, { params, query, ...(as && { as }) })

/** What a list shows to each. */
async function seen(literal: string, callers: readonly (Somebody | undefined)[], params = {}) {
  const answers = await Promise.all(callers.map((as) => list(literal, as, params)))
  for (const answer of answers) {
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('x-total-count'), String(answer.body.length))
  }
  return answers.map(names)
}

test('GET /orgs shows by name what is not private; to a restricted user what it is a member of', async () => {
  assert.deepEqual(await seen('GET /api/v1/orgs', [undefined, ada, bob, boss, restricted]), [
    ['an-other', 'Open'],
    ['an-other', 'limited', 'Open'],
    ['an-other', 'limited', 'Open'],
    ['an-other', 'Closed', 'limited', 'Open'],
    [],
  ])
  await make.team(limited, [restricted])
  await make.team(closed, [restricted])
  assert.deepEqual(await seen('GET /api/v1/orgs', [restricted]), [['limited']])
})

test('GET /orgs asks for no scope and blanks no address', async () => {
  const narrow = bearer(await make.token(ada, 'read:user'))
  assert.deepEqual(names(await list('GET /api/v1/orgs', narrow)), ['an-other', 'limited', 'Open'])
  assert.equal((await list('GET /api/v1/orgs')).body[1].email, 'open@orgs.example')
  assert.equal((await list('GET /api/v1/orgs', bearer('f'.repeat(40)))).status, 401)
})

test('GET /orgs shows public organizations only to a token that is limited to public things', async () => {
  const narrow = async (who: Somebody, ...scopes: string[]) =>
    list('GET /api/v1/orgs', bearer(await make.token(who, 'public-only', ...scopes)))
  for (const who of [ada, bob, boss]) {
    const answer = await narrow(who, 'all')
    assert.deepEqual(names(answer), ['an-other', 'Open'], who.name)
    assert.equal(answer.headers.get('x-total-count'), '2')
  }
  assert.deepEqual(names(await narrow(boss, 'read:misc')), ['an-other', 'Open'])
  const member = await make.person({ is_restricted: true })
  for (const organization of [open, limited]) await make.team(organization, [member])
  assert.deepEqual(names(await list('GET /api/v1/orgs', member)), ['limited', 'Open'])
  assert.deepEqual(names(await narrow(member, 'all')), ['Open'])
})

test('GET /orgs has pages, with links if there are several', async () => {
  const page = await list('GET /api/v1/orgs', boss, {}, { limit: 3, page: 2 })
  assert.deepEqual(names(page), ['Open'])
  assert.equal(page.headers.get('x-total-count'), '4')
  assert.equal(
    page.headers.get('link'),
    '<https://forgehall.example/api/v1/orgs?limit=3&page=1>; rel="first",' +
      '<https://forgehall.example/api/v1/orgs?limit=3&page=1>; rel="prev"',
  )
  for (const query of [{ page: 9_999_999_999 }, { page: '9'.repeat(30) }, { limit: 1, page: 5 }]) {
    const beyond = await list('GET /api/v1/orgs', boss, {}, query)
    assert.deepEqual([beyond.status, beyond.body, beyond.headers.get('x-total-count')], [200, [], '4'])
  }
  for (const limit of ['0', '-1', 'abc', '', '1e3', '5000']) {
    assert.equal(names(await list('GET /api/v1/orgs', boss, {}, { limit, page: 'x' })).length, 4, limit)
  }
})

test('GET /admin/orgs shows all to administrators, and nothing to others', async () => {
  const all = ['an-other', 'Closed', 'limited', 'Open']
  assert.deepEqual(await seen('GET /api/v1/admin/orgs', [boss]), [all])
  holdRefusal(await list('GET /api/v1/admin/orgs'), 401, 'token is required')
  holdRefusal(await list('GET /api/v1/admin/orgs', ada), 403, 'user should be the site admin')
  const token = bearer(await make.token(boss, 'write:organization'))
  assert.match((await list('GET /api/v1/admin/orgs', token)).body.message, /required=\[read:admin\]/)
  assert.equal(
    names(await list('GET /api/v1/admin/orgs', bearer(await make.token(boss, 'read:admin')))).length,
    4,
  )
})

test('GET /user/orgs shows all memberships of the caller, also hidden ones', async () => {
  assert.deepEqual(await seen('GET /api/v1/user/orgs', [ada, bob]), [
    ['Closed', 'limited', 'Open'],
    ['an-other'],
  ])
  holdRefusal(await list('GET /api/v1/user/orgs'), 401, 'token is required')
  assert.equal((await list('GET /api/v1/user/orgs', bearer(await make.token(ada, 'read:user')))).status, 403)
  const open = bearer(await make.token(ada, 'public-only', 'read:user', 'read:organization'))
  assert.deepEqual(names(await list('GET /api/v1/user/orgs', open)), ['Open'])
})

test('GET /users/{username}/orgs shows of others what they show, in organizations that the caller may see', async () => {
  const literal = 'GET /api/v1/users/{username}/orgs'
  const params = { username: 'ADA' }
  const everybody = [undefined, bob, restricted, ada, boss]
  const all = ['Closed', 'limited', 'Open']
  assert.deepEqual(await seen(literal, everybody, params), [[], [], [], all, all])
  for (const { id } of [open, limited, closed]) await begin((tx) => updateMembership(tx, id, ada.id, true))
  assert.deepEqual(await seen(literal, everybody, params), [
    ['Open'],
    ['limited', 'Open'],
    ['Open'],
    all,
    all,
  ])
  const token = bearer(await make.token(boss, 'public-only', 'all'))
  assert.deepEqual(names(await list(literal, token, params)), ['Open'])
  holdRefusal(
    await list(literal, ada, { username: 'nobody' }),
    404,
    'user redirect does not exist [name: nobody]',
  )
  const shy = await make.person({ name: 'shy', visibility: 'private' })
  assert.equal((await list(literal, bob, { username: 'shy' })).status, 404)
  assert.equal((await list(literal, shy, { username: 'shy' })).status, 200)
})

test('GET /admin/users/{username}/orgs shows administrators all memberships of a user', async () => {
  const literal = 'GET /api/v1/admin/users/{username}/orgs'
  assert.deepEqual(await seen(literal, [boss], { username: 'ada' }), [['Closed', 'limited', 'Open']])
  assert.equal((await list(literal, ada, { username: 'ada' })).status, 403)
  assert.equal((await list(literal, boss, { username: 'nobody' })).status, 404)
})

test('GET /users/{username}/orgs/{org}/permissions is the best of all teams', async () => {
  const literal = 'GET /api/v1/users/{username}/orgs/{org}/permissions'
  const cyn = await make.person({ name: 'cyn' })
  const may = async (as = boss, username = 'cyn', org = 'OPEN') => {
    const { status, body } = await list(literal, as, { username, org })
    return status === 200 ? Object.entries(body).flatMap(([name, yes]) => (yes ? [name] : [])) : status
  }
  assert.deepEqual(await may(), [])
  await make.team(open, [cyn], { permission: 'none' })
  assert.deepEqual(await may(), [])
  await make.team(open, [cyn], { permission: 'read', can_create_repositories: true })
  assert.deepEqual(await may(cyn), ['can_read', 'can_create_repository'])
  await make.team(open, [cyn], { permission: 'write' })
  assert.deepEqual(await may(ada), ['can_write', 'can_read', 'can_create_repository'])
  assert.deepEqual(await may(boss, 'ada'), [
    'is_owner',
    'is_admin',
    'can_write',
    'can_read',
    'can_create_repository',
  ])
  assert.equal(await may(bob), 403)
  assert.deepEqual(await may(bob, 'bob'), [])
  assert.equal(await may(bob, 'bob', 'closed'), 404)
  assert.equal(await may(boss, 'bob', 'ada'), 404)
  assert.equal(await may(boss, 'bob', 'nothing'), 404)
  assert.equal(await may(boss, 'nobody'), 404)
  const token = { ...ada, ...bearer(await make.token(ada, 'public-only', 'all')) }
  assert.equal(await may(token, 'ada', 'closed'), 404)
  assert.equal((await list(literal, undefined, { username: 'cyn', org: 'open' })).status, 401)
})

test('GET /user/teams shows the teams of the caller in all organizations', async () => {
  const person = await make.person()
  const open = await make.organization(ada, { name: 'open-house' })
  const closed = await make.organization(person, { name: 'closed-house', visibility: 'private' })
  await make.team(open, [person], { name: 'guests' })
  const mine = async (as?: { authorization: string }, query = {}) => {
    const { status, body } = await call('GET /api/v1/user/teams', { query, ...(as && { as }) })
    if (status !== 200) return status
    return body.map((team: { name: string; organization: { name: string } }) => [
      team.organization.name,
      team.name,
    ])
  }
  assert.deepEqual(await mine(person), [
    [closed.name, 'Owners'],
    ['open-house', 'guests'],
  ])
  assert.deepEqual(await mine(person, { limit: 1, page: 2 }), [['open-house', 'guests']])
  assert.equal(await mine(), 401)
  assert.equal(await mine(bearer(await make.token(person, 'read:user'))), 403)
  const limited = bearer(await make.token(person, 'public-only', 'all'))
  assert.deepEqual(await mine(limited), [['open-house', 'guests']])
})

const skip = onServer ? false : 'needs a PostgreSQL server'

/** So many that the planner prefers indexes. */
async function fillUp(): Promise<void> {
  await pool`
    insert into forge.account (kind, name, visibility, created_at, updated_at)
    select case when n % 2 = 0 then 'person' else 'organization' end, 'crowd-' || n,
      case when n % 10 = 1 then 'private' else 'public' end, ${app.clock.now()}, ${app.clock.now()}
    from generate_series(1, 20000) as n`
  await pool`
    insert into forge.membership (organization_id, account_id, is_public)
    select ${other.id}, id, id % 100 = 0
    from forge.account
    where kind = 'person' and name like 'crowd-%'`
  await pool`
    insert into forge.membership (organization_id, account_id, is_public)
    select id, ${restricted.id}, id % 100 = 0
    from forge.account
    where kind = 'organization' and name like 'crowd-%'`
  await pool`
    insert into forge.team (organization_id, name, permission, created_at)
    select id, 'crowd', 'read', created_at
    from forge.account
    where kind = 'organization' and name like 'crowd-%'`
  await pool`
    insert into forge.team_member (team_id, organization_id, account_id)
    select id, organization_id, ${restricted.id}
    from forge.team
    where name = 'crowd'`
  await pool`
    insert into forge.team_member (team_id, organization_id, account_id)
    select team.id, organization_id, account_id
    from forge.team
    join forge.membership using (organization_id)
    where organization_id = ${other.id}
    on conflict do nothing`
  await vacuumed(pool, 'account', 'membership', 'team', 'team_member')
}

const first = { page: 1, limit: 50 }

test('lists of organizations, members and teams read indexes with one statement each', {
  skip,
}, async () => {
  await fillUp()
  const [owners] = await pool<[{ id: number }]>`
    select id from forge.team where organization_id = ${other.id} and permission = 'owner'`
  const seenTeams = { organization: other.id, viewer: bob.id, inDescription: true }
  for (const [name, work] of Object.entries<(sql: Parameters<typeof pageOfMembers>[0]) => Promise<unknown>>({
    'all organizations': (sql) => pageOfOrganizations(sql, VISIBILITIES, { page: 100, limit: 50 }),
    'public organizations': (sql) => pageOfOrganizations(sql, ['public'], first),
    'shown memberships of a person': (sql) =>
      pageOfMemberships(sql, { account: ada.id, visibilities: ['public'], onlyPublic: true }, first),
    members: (sql) => pageOfMembers(sql, { organization: other.id, onlyPublic: false }, first),
    'public members': (sql) => pageOfMembers(sql, { organization: other.id, onlyPublic: true }, first),
    'members of a team': (sql) => pageOfTeamMembers(sql, owners.id, first),
    'teams of an organization': (sql) => pageOfTeams(sql, { ...seenTeams, seesAll: true, q: '' }, first),
    'teams found': (sql) => pageOfTeams(sql, { ...seenTeams, seesAll: false, q: 'ers' }, first),
    'own teams': (sql) => pageOfTeamsOf(sql, { account: ada.id, onlyPublic: false }, first),
  })) {
    const plans = await plansOf(database, work)
    assert.equal(plans.length, 1, name)
    assert.doesNotMatch(
      plans[0] ?? '',
      /Seq Scan on (account|membership|team|team_member)\b/,
      `${name}\n${plans[0]}`,
    )
    if (name === 'public members') assert.match(plans[0] ?? '', /using membership_public\b/)
  }
})
