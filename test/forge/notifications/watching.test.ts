import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { notificationConsumer } from '../../../src/forge/watching/events.ts'
import { startApp } from '../../support/app.ts'
import { startBackground } from '../../support/background.ts'
import { temporaryFolder } from '../../support/folder.ts'
import type { Somebody } from '../../support/forge/make.ts'
import { until } from '../../support/wait.ts'

/** Automatic watching: members of teams watch the repositories of their teams without a request. */

const folder = await temporaryFolder()
const { call, pool, clock, make } = await startApp({ DATA_DIR: folder })
const background = startBackground({ pool, clock }, { consumers: [notificationConsumer] })
after(() => background.stop())
const boss = await make.admin({ name: 'boss' })

const NEW = 'GET /api/v1/notifications/new'
const CREATE = 'POST /api/v1/orgs/{org}/repos'
const CREATE_FOR = 'POST /api/v1/admin/users/{username}/repos'
const ADOPT = 'POST /api/v1/admin/unadopted/{owner}/{repo}'
const TRANSFER = 'POST /api/v1/repos/{owner}/{repo}/transfer'
const GIVE = 'PUT /api/v1/teams/{id}/repos/{org}/{repo}'
const GIVE_TEAM = 'PUT /api/v1/repos/{owner}/{repo}/teams/{team}'
const JOIN = 'PUT /api/v1/teams/{id}/members/{username}'
const EDIT_TEAM = 'PATCH /api/v1/teams/{id}'
const WATCHERS = 'GET /api/v1/repos/{owner}/{repo}/subscribers'
const SHOW = 'GET /api/v1/repos/{owner}/{repo}'
const WATCH = 'PUT /api/v1/repos/{owner}/{repo}/subscription'
const UNWATCH = 'DELETE /api/v1/repos/{owner}/{repo}/subscription'

/** An organization with an owner, a team that has all repositories and one that has none, with a member each. */
async function company() {
  const [owner, all, some] = [await make.person(), await make.person(), await make.person()]
  const org = await make.organization(owner)
  const everything = await make.team(org, [all], { includes_all_repositories: true })
  const team = await make.team(org, [some])
  return { org, owner, all, some, everything, team }
}
type Company = Awaited<ReturnType<typeof company>>

const named = (owner: string, repo: string) => ({ owner, repo })

/** Names of those who watch, in the order of their ids; the count of the repository is the same. */
async function watchers(owner: string, repo: string): Promise<string[]> {
  const params = named(owner, repo)
  const { body } = await call(WATCHERS, { as: boss, params, query: { limit: 50 } })
  const logins: string[] = body.map(({ login }: { login: string }) => login)
  assert.equal((await call(SHOW, { as: boss, params })).body.watchers_count, logins.length)
  return logins
}

async function created(as: Somebody, { org }: Company, name = 'crane'): Promise<void> {
  const { status } = await call(CREATE, { as, params: { org: org.name }, body: { name } })
  assert.equal(status, 201)
}

const give = ({ owner, team, org }: Company, repo = 'crane') =>
  call(GIVE, { as: owner, params: { id: team.id, org: org.name, repo } })

const join_ = ({ owner }: Company, team: { id: number }, { name }: Somebody) =>
  call(JOIN, { as: owner, params: { id: team.id, username: name } })

const watch = (literal: typeof WATCH | typeof UNWATCH, { org }: Company, as: Somebody, repo = 'crane') =>
  call(literal, { as, params: named(org.name, repo) })

test(`${CREATE_FOR} makes watchers of the owners and of the teams that have all repositories`, async () => {
  const { org, owner, all } = await company()
  const body = { name: 'crane' }
  const { status, body: made } = await call(CREATE_FOR, { as: boss, params: { username: org.name }, body })
  assert.deepEqual([status, made.watchers_count], [201, 3])
  assert.deepEqual(await watchers(org.name, 'crane'), ['boss', owner.name, all.name])
})

test(`${CREATE_FOR}: an owner is notified of an issue in a repository that an administrator made`, async () => {
  const { org, owner, some } = await company()
  await call(CREATE_FOR, { as: boss, params: { username: org.name }, body: { name: 'crane' } })
  const opened = await call('POST /api/v1/repos/{owner}/{repo}/issues', {
    as: boss,
    params: named(org.name, 'crane'),
    body: { title: 'It leaks' },
  })
  assert.equal(opened.status, 201)
  const count = async (as: Somebody) => (await call(NEW, { as })).body.new
  assert.equal(await until('the owner is notified', () => count(owner)), 1)
  assert.equal(await count(some), 0)
})

test(`${CREATE} by a member: the creator watches it, and nobody watches twice`, async () => {
  const they = await company()
  await join_(they, they.everything, they.owner)
  await created(they.owner, they)
  assert.deepEqual(await watchers(they.org.name, 'crane'), [they.owner.name, they.all.name])
})

test(`${GIVE} and ${GIVE_TEAM} make watchers of the members of the team`, async () => {
  const they = await company()
  const { org, owner, all, some, team } = they
  await created(owner, they)
  assert.deepEqual(await watchers(org.name, 'crane'), [owner.name, all.name])
  assert.equal((await give(they)).status, 204)
  assert.deepEqual(await watchers(org.name, 'crane'), [owner.name, all.name, some.name])
  await created(owner, they, 'winch')
  const params = { ...named(org.name, 'winch'), team: team.name }
  assert.equal((await call(GIVE_TEAM, { as: owner, params })).status, 204)
  assert.deepEqual(await watchers(org.name, 'winch'), [owner.name, all.name, some.name])
})

test(`${JOIN} makes a watcher of all that the team has, and of nothing else`, async () => {
  const they = await company()
  const { org, owner, all, some, team, everything } = they
  for (const name of ['crane', 'winch', 'hidden']) await created(owner, they, name)
  await give(they)
  const [late, later] = [await make.person(), await make.person()]
  assert.equal((await join_(they, team, late)).status, 204)
  assert.equal((await join_(they, everything, later)).status, 204)
  assert.deepEqual(
    await watchers(org.name, 'crane'),
    [owner, all, some, late, later].map(({ name }) => name),
  )
  for (const name of ['winch', 'hidden'])
    assert.deepEqual(await watchers(org.name, name), [owner.name, all.name, later.name])
})

test(`${EDIT_TEAM} that gives a team all repositories makes watchers of its members`, async () => {
  const they = await company()
  const { org, owner, all, some, team } = they
  await created(owner, they)
  await created(owner, they, 'winch')
  const params = { id: team.id }
  const body = { includes_all_repositories: true }
  assert.equal((await call(EDIT_TEAM, { as: owner, params, body })).status, 200)
  for (const name of ['crane', 'winch'])
    assert.deepEqual(await watchers(org.name, name), [owner.name, all.name, some.name])
})

test(`${ADOPT} makes watchers as a creation does`, async () => {
  const { org, owner, all } = await company()
  const path = join(folder, 'repositories', org.name, 'found.git')
  mkdirSync(path, { recursive: true })
  execFileSync('git', ['init', '-q', '--bare', path])
  assert.equal((await call(ADOPT, { as: boss, params: named(org.name, 'found') })).status, 204)
  assert.deepEqual(await watchers(org.name, 'found'), ['boss', owner.name, all.name])
})

test(`${TRANSFER} makes watchers of the teams of the new owner, also of those it is given to`, async () => {
  const { org, owner, all, some, team } = await company()
  const giver = await make.person()
  const repo = await make.repository(giver)
  const body = { new_owner: org.name, team_ids: [team.id] }
  const moved = await call(TRANSFER, { as: boss, params: named(giver.name, repo.name), body })
  assert.deepEqual([moved.status, moved.body.watchers_count], [202, 5])
  const expected = ['boss', owner.name, all.name, some.name, giver.name]
  assert.deepEqual(await watchers(org.name, repo.name), expected)
})

test(`${UNWATCH} lasts: nothing but one's own ${WATCH} ends it`, async () => {
  const they = await company()
  const { org, owner, all, some, team, everything } = they
  await created(owner, they)
  const never = await make.person()
  for (const as of [all, some, never]) assert.equal((await watch(UNWATCH, they, as)).status, 204)
  await give(they)
  for (const somebody of [all, never]) await join_(they, team, somebody)
  await join_(they, everything, some)
  const body = { new_owner: owner.name }
  await call(TRANSFER, { as: owner, params: named(org.name, 'crane'), body })
  await call(TRANSFER, {
    as: owner,
    params: named(owner.name, 'crane'),
    body: { new_owner: org.name, team_ids: [team.id] },
  })
  assert.deepEqual(await watchers(org.name, 'crane'), [owner.name])
  assert.equal((await watch(WATCH, they, some)).status, 200)
  assert.deepEqual(await watchers(org.name, 'crane'), [owner.name, some.name])
  assert.equal((await watch(UNWATCH, they, owner)).status, 204)
  const params = named(org.name, 'crane')
  await call(TRANSFER, { as: owner, params, body: { new_owner: owner.name } })
  assert.deepEqual(await watchers(owner.name, 'crane'), [some.name], 'a new owner has unwatched it before')
})

test(`${UNWATCH}: what it leaves goes with the account and with the repository`, async () => {
  const they = await company()
  await created(they.owner, they)
  const left = async () => {
    const [row] = await pool<{ rows: number }[]>`
      select count(*) as rows
      from forge.repository_unwatch
      where account_id in (${they.all.id}, ${they.some.id})`
    return row?.rows
  }
  for (const as of [they.all, they.some])
    for (let twice = 0; twice < 2; twice++) await watch(UNWATCH, they, as)
  assert.equal(await left(), 2)
  const params = { username: they.all.name }
  await call('DELETE /api/v1/admin/users/{username}', { as: boss, params, query: { purge: 'true' } })
  assert.equal(await left(), 1)
  const where = named(they.org.name, 'crane')
  await call('DELETE /api/v1/repos/{owner}/{repo}', { as: they.owner, params: where })
  assert.equal(await left(), 0)
})

test(`${JOIN} and ${CREATE} at the same time miss nobody and count right`, async () => {
  const they = await company()
  const { org, owner, all, everything } = they
  const people = await Promise.all(Array.from({ length: 6 }, () => make.person()))
  const names = Array.from({ length: 6 }, (_, at) => `repo-${at}`)
  const answers = await Promise.all([
    ...people.map((person) => join_(they, everything, person)),
    ...names.map((name) => call(CREATE, { as: owner, params: { org: org.name }, body: { name } })),
  ])
  assert.ok(answers.every(({ status }) => status === 204 || status === 201))
  const expected = [owner, all, ...people].map(({ name }) => name).sort()
  for (const name of names) assert.deepEqual((await watchers(org.name, name)).sort(), expected)
})

test(`${GIVE} while members are deleted leaves these out`, async () => {
  const they = await company()
  const people = await Promise.all(Array.from({ length: 8 }, () => make.person()))
  for (const person of people) await join_(they, they.team, person)
  await created(they.owner, they)
  const gone = people.slice(0, 4)
  const answers = await Promise.all([
    ...gone.map(({ name }) =>
      call('DELETE /api/v1/admin/users/{username}', {
        as: boss,
        params: { username: name },
        query: { purge: 'true' },
      }),
    ),
    give(they),
  ])
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([204]))
  const left = [they.owner, they.all, they.some, ...people.slice(4)].map(({ name }) => name)
  assert.deepEqual((await watchers(they.org.name, 'crane')).sort(), left.sort())
})

const opened = async (they: Company, name: string, isPrivate: boolean) => {
  const body = { name, private: isPrivate }
  const { status } = await call(CREATE, { as: they.owner, params: { org: they.org.name }, body })
  assert.equal(status, 201)
}

/** What ends the access of `all` and `some`, who are in one team each, to a private repository that both teams have. */
const ends: readonly [
  literal: string,
  gone: 'all' | 'some',
  end: (they: Company) => Promise<{ status: number }>,
][] = [
  [
    'DELETE /api/v1/orgs/{org}/members/{username}',
    'all',
    ({ org, owner, all }) =>
      call('DELETE /api/v1/orgs/{org}/members/{username}', {
        as: owner,
        params: { org: org.name, username: all.name },
      }),
  ],
  [
    'DELETE /api/v1/teams/{id}/members/{username}',
    'some',
    ({ owner, team, some }) =>
      call('DELETE /api/v1/teams/{id}/members/{username}', {
        as: owner,
        params: { id: team.id, username: some.name },
      }),
  ],
  [
    'DELETE /api/v1/teams/{id}',
    'some',
    ({ owner, team }) => call('DELETE /api/v1/teams/{id}', { as: owner, params: { id: team.id } }),
  ],
  [
    'DELETE /api/v1/teams/{id}/repos/{org}/{repo}',
    'some',
    ({ owner, team, org }) =>
      call('DELETE /api/v1/teams/{id}/repos/{org}/{repo}', {
        as: owner,
        params: { id: team.id, org: org.name, repo: 'crane' },
      }),
  ],
  [
    EDIT_TEAM,
    'all',
    ({ owner, everything }) =>
      call(EDIT_TEAM, {
        as: owner,
        params: { id: everything.id },
        body: { includes_all_repositories: false },
      }),
  ],
]

for (const [literal, gone, end] of ends)
  test(`${literal} ends the watches of who may no longer read the repository`, async () => {
    const they = await company()
    await opened(they, 'crane', true)
    assert.equal((await give(they)).status, 204)
    const before = [they.owner, they.all, they.some].map(({ name }) => name)
    assert.deepEqual(await watchers(they.org.name, 'crane'), before)
    assert.ok((await end(they)).status < 300)
    assert.deepEqual(
      await watchers(they.org.name, 'crane'),
      before.filter((name) => name !== they[gone].name),
    )
  })

test('a user who leaves an organization stops watching its repositories; one who leaves a team keeps watching public ones', async () => {
  const they = await company()
  const { org, owner, all, some, team, everything } = they
  await opened(they, 'crane', false)
  const leave = (from: { id: number }, { name }: Somebody) =>
    call('DELETE /api/v1/teams/{id}/members/{username}', {
      as: owner,
      params: { id: from.id, username: name },
    })
  await join_(they, team, all)
  assert.equal((await watch(WATCH, they, some)).status, 200)
  assert.equal((await leave(everything, all)).status, 204)
  assert.deepEqual(await watchers(org.name, 'crane'), [owner.name, all.name, some.name])
  assert.equal((await leave(team, some)).status, 204)
  assert.deepEqual(await watchers(org.name, 'crane'), [owner.name, all.name])
})

test('a repository that becomes private, loses a collaborator or is transferred loses the watchers who may not read it', async () => {
  const [ada, eve, col] = [await make.person(), await make.person(), await make.person()]
  const put = 'PUT /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}'
  await call('POST /api/v1/user/repos', { as: ada, body: { name: 'winch' } })
  const inRepo = named(ada.name, 'winch')
  const collaborator = { ...inRepo, collaborator: col.name }
  assert.equal((await call(put, { as: ada, params: collaborator, body: { permission: 'read' } })).status, 204)
  for (const as of [eve, col]) assert.equal((await call(WATCH, { as, params: inRepo })).status, 200)
  assert.deepEqual(await watchers(ada.name, 'winch'), [ada.name, eve.name, col.name])
  const issue = await call('POST /api/v1/repos/{owner}/{repo}/issues', {
    as: ada,
    params: inRepo,
    body: { title: 'It leaks' },
  })
  const onIssue = { ...inRepo, index: issue.body.number }
  await pool`
    insert into forge.issue_watch (issue_id, account_id, is_watching)
    select issue.id, account.id, true
    from forge.issue, forge.account
    where title = 'It leaks' and repository_id = ${(await call(SHOW, { as: ada, params: inRepo })).body.id}
      and account.id in (${eve.id}, ${col.id})
    on conflict do nothing`
  const subscribed = async () => {
    const literal = 'GET /api/v1/repos/{owner}/{repo}/issues/{index}/subscriptions'
    const { body } = await call(literal, { as: ada, params: onIssue })
    return body.map(({ login }: { login: string }) => login)
  }
  assert.deepEqual(await subscribed(), [eve.name, col.name])
  assert.equal(
    (await call('PATCH /api/v1/repos/{owner}/{repo}', { as: ada, params: inRepo, body: { private: true } }))
      .status,
    200,
  )
  assert.deepEqual(await watchers(ada.name, 'winch'), [ada.name, col.name])
  assert.deepEqual(await subscribed(), [col.name])
  const remove = 'DELETE /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}'
  assert.equal((await call(remove, { as: ada, params: collaborator })).status, 204)
  assert.deepEqual(await watchers(ada.name, 'winch'), [ada.name])
  assert.deepEqual(await subscribed(), [])
  const give = { as: boss, params: inRepo, body: { new_owner: eve.name } }
  assert.equal((await call(TRANSFER, give)).status, 202)
  assert.deepEqual(await watchers(eve.name, 'winch'), [eve.name])
})

test(`${WATCHERS} lists nobody who may not read the repository, even if a watch is left`, async () => {
  const [ada, eve] = [await make.person(), await make.person()]
  const repo = await make.repository(ada, { is_private: true })
  await pool`
    insert into forge.repository_watch (repository_id, account_id, created_at)
    values (${repo.id}, ${eve.id}, now())`
  const { body } = await call(WATCHERS, { as: boss, params: named(ada.name, repo.name) })
  assert.deepEqual(
    body.map(({ login }: { login: string }) => login),
    [ada.name],
  )
})
