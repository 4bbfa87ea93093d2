import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { type As, bearer } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const { call, pool, make } = await startApp()
const boss = await make.admin({ name: 'boss' })
const [ada, bob, eve] = await make.people('ada', 'Bob', 'eve')
const crew = await make.organization(ada, { name: 'Crew' })
const rival = await make.organization(eve, { name: 'rival' })
const writers = await make.team(crew, [bob], { name: 'Writers', permission: 'write' })
const readers = await make.team(crew, [], { name: 'readers', visibility: 'limited' })
const all = await make.team(crew, [], { name: 'all', includes_all_repositories: true, visibility: 'limited' })
const create = (org: string, as: typeof ada, name: string, isPrivate = true) =>
  call('POST /api/v1/orgs/{org}/repos', { as, params: { org }, body: { name, private: isPrivate } })
const { body: desk } = await create('crew', ada, 'Desk')
await create('crew', ada, 'chair')
await create('rival', eve, 'throne', false)
await call('POST /api/v1/user/repos', { as: ada, body: { name: 'own' } })

const list = 'GET /api/v1/teams/{id}/repos'
const show = 'GET /api/v1/teams/{id}/repos/{org}/{repo}'
const add = 'PUT /api/v1/teams/{id}/repos/{org}/{repo}'
const remove = 'DELETE /api/v1/teams/{id}/repos/{org}/{repo}'
const listTeams = 'GET /api/v1/repos/{owner}/{repo}/teams'
const showTeam = 'GET /api/v1/repos/{owner}/{repo}/teams/{team}'
const addTeam = 'PUT /api/v1/repos/{owner}/{repo}/teams/{team}'
const removeTeam = 'DELETE /api/v1/repos/{owner}/{repo}/teams/{team}'

const on = (literal: string, id: number | string, repo: string, as?: As, org = 'crew') =>
  call(literal, { params: { id, org, repo }, ...(as && { as }) })
const listed = async (id: number, as: As) => {
  const { status, body } = await call(list, { as, params: { id } })
  assert.equal(status, 200)
  return body.map(({ name }: { name: string }) => name)
}
const of = (literal: string, repo: string, team: string, as?: As, owner = 'crew') =>
  call(literal, { params: { owner, repo, ...(literal !== listTeams && { team }) }, ...(as && { as }) })
const teamsOf = async (repo: string, as: As) => {
  const { status, body } = await of(listTeams, repo, '', as)
  assert.equal(status, 200)
  return body.map(({ name }: { name: string }) => name)
}
const look = async (as: As, repo = 'desk') =>
  (await call('GET /api/v1/repos/{owner}/{repo}', { as, params: { owner: 'crew', repo } })).body.permissions
const deeds = async () =>
  (
    await pool`
      select action, target_name, details
      from forge.audit
      where action like 'team.repository%'
      order by id`
  ).map((row) => ({ ...row }))

test(`${add} adds a repository to a team, whose members may then use it, once`, async () => {
  assert.equal(await look(bob), undefined)
  for (const _ of [1, 2]) assert.equal((await on(add, writers.id, 'DESK', ada, 'CREW')).status, 204)
  assert.deepEqual(await look(bob), { admin: false, push: true, pull: true })
  assert.equal(await look(bob, 'chair'), undefined)
  assert.deepEqual(await deeds(), [
    {
      action: 'team.repository_added',
      target_name: 'Writers',
      details: { organization: 'Crew', repository: 'Desk' },
    },
  ])
  const mine = await call('GET /api/v1/user/repos', { as: bob })
  assert.deepEqual(
    mine.body.map(({ full_name }: { full_name: string }) => full_name),
    ['Crew/Desk'],
  )
})

test(`${list} shows the repositories of a team, assigned or all, that the caller may see`, async () => {
  assert.deepEqual(await listed(writers.id, bob), ['Desk'])
  assert.deepEqual(await listed(all.id, ada), ['chair', 'Desk'])
  assert.deepEqual(await listed(all.id, bob), ['Desk'])
  assert.deepEqual(await listed(readers.id, ada), [])
  const page = await call(list, { as: ada, params: { id: all.id }, query: { limit: 1, page: 2 } })
  assert.deepEqual([page.body[0].name, page.headers.get('x-total-count')], ['Desk', '2'])
  assert.match(page.headers.get('link') ?? '', /rel="first"/)
  assert.deepEqual((await call(list, { as: ada, params: { id: all.id }, query: { page: 9 } })).body, [])
  assert.equal((await call(list, { params: { id: all.id } })).status, 401)
  assert.equal((await call(list, { as: eve, params: { id: all.id } })).status, 404)
  for (const id of ['0', 'x', 999_999])
    assert.equal((await call(list, { as: boss, params: { id } })).status, 404)
})

test(`${show} shows a repository of the team and nothing else`, async () => {
  const { status, body } = await on(show, writers.id, 'desk', bob)
  assert.deepEqual([status, body.id, body.permissions.push], [200, desk.id, true])
  assert.equal((await on(show, writers.id, 'chair', ada)).status, 404)
  assert.equal((await on(show, all.id, 'chair', ada)).status, 200)
  assert.equal((await on(show, all.id, 'chair', bob)).status, 404)
  for (const repo of ['none', 'a b', '%00', "x'--"])
    assert.equal((await on(show, all.id, repo, boss)).status, 404)
  assert.equal((await on(show, all.id, 'throne', boss, 'rival')).status, 404)
  assert.equal((await on(show, all.id, 'throne', boss, 'nobody')).status, 404)
})

test(`${add} and ${remove} require a member of the team who administers the repository`, async () => {
  for (const literal of [add, remove]) {
    assert.equal((await on(literal, writers.id, 'desk')).status, 401)
    assert.equal((await on(literal, writers.id, 'desk', eve)).status, 404)
    holdRefusal(await on(literal, readers.id, 'desk', bob), 403, 'Must be a team member')
    holdRefusal(
      await on(literal, writers.id, 'desk', bob),
      403,
      'Must have admin-level access to the repository',
    )
    assert.equal((await on(literal, writers.id, 'chair', bob)).status, 404)
    const reader = bearer(await make.token(ada, 'read:organization'))
    assert.equal((await on(literal, writers.id, 'desk', reader)).status, 403)
    // Nothing of another owner, whoever asks.
    assert.equal((await on(literal, writers.id, 'throne', boss, 'rival')).status, 404)
    assert.equal((await on(literal, writers.id, 'own', ada, 'ada')).status, 404)
  }
  assert.deepEqual(await listed(writers.id, bob), ['Desk'])
  const rows = await pool`select from forge.team_repository`
  assert.equal(rows.length, 1)
})

test(`${remove} removes a repository, but not from a team that has all`, async () => {
  assert.equal((await on(remove, writers.id, 'desk', ada)).status, 204)
  assert.equal((await on(remove, writers.id, 'desk', ada)).status, 204)
  assert.equal(await look(bob), undefined)
  assert.equal((await deeds()).filter(({ action }) => action === 'team.repository_removed').length, 1)
  holdRefusal(await on(remove, all.id, 'desk', ada), 422, 'the team has all repositories of its organization')
})

test(`${addTeam}, ${removeTeam}, ${listTeams} and ${showTeam} change and show the same teams from the repository`, async () => {
  assert.deepEqual(await teamsOf('desk', ada), ['all', 'Owners'])
  assert.equal((await of(addTeam, 'desk', 'WRITERS', ada)).status, 204)
  holdRefusal(await of(addTeam, 'desk', 'writers', ada), 422, "team 'Writers' is already added to repo")
  assert.deepEqual(await look(bob), { admin: false, push: true, pull: true })
  assert.deepEqual(await teamsOf('desk', ada), ['all', 'Owners', 'Writers'])
  assert.deepEqual(await teamsOf('desk', bob), ['all', 'Owners', 'Writers'])
  const shown = await of(showTeam, 'desk', 'writers', bob)
  assert.deepEqual([shown.status, shown.body.id], [200, writers.id])
  assert.equal((await of(showTeam, 'desk', 'readers', ada)).status, 404)
  assert.equal((await of(showTeam, 'desk', 'nobody', ada)).status, 404)
  assert.equal((await of(removeTeam, 'desk', 'writers', ada)).status, 204)
  holdRefusal(await of(removeTeam, 'desk', 'writers', ada), 422, "team 'Writers' was not added to repo")
  assert.equal((await of(removeTeam, 'desk', 'owners', ada)).status, 422)
  assert.equal((await of(addTeam, 'desk', 'nobody', ada)).status, 404)
  assert.equal((await of(listTeams, 'desk', '', eve)).status, 404)
  assert.equal((await of(listTeams, 'desk', '')).status, 404)
  assert.equal((await of(listTeams, 'throne', '', undefined, 'rival')).status, 401)
  assert.equal((await of(listTeams, 'throne', '', bob, 'rival')).status, 403)
  for (const literal of [listTeams, showTeam, addTeam, removeTeam])
    holdRefusal(await of(literal, 'own', 'x', ada, 'ada'), 405, 'repo is not owned by an organization')
})

test(`a mere administrator of the repository may change its teams only if the organization allows it`, async () => {
  const put = 'PUT /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}'
  const params = { owner: 'crew', repo: 'desk', collaborator: 'bob' }
  assert.equal((await call(put, { as: ada, params, body: { permission: 'admin' } })).status, 204)
  holdRefusal(await of(addTeam, 'desk', 'readers', bob), 403, 'user is nor repo admin nor owner')
  holdRefusal(await of(removeTeam, 'desk', 'readers', bob), 403, 'user is nor repo admin nor owner')
  // From the side of a team that bob is in.
  const own = await make.team(crew, [bob], { name: 'own' })
  for (const literal of [add, remove])
    holdRefusal(await on(literal, own.id, 'desk', bob), 403, 'user is nor repo admin nor owner')
  const leave = { as: ada, params: { org: 'crew' }, body: { repo_admin_change_team_access: true } }
  assert.equal((await call('PATCH /api/v1/orgs/{org}', leave)).status, 200)
  assert.equal((await of(addTeam, 'desk', 'readers', bob)).status, 204)
  assert.equal((await of(removeTeam, 'desk', 'readers', bob)).status, 204)
  for (const literal of [add, remove]) assert.equal((await on(literal, own.id, 'desk', bob)).status, 204)
})

test('deleting a repository or a team removes the assignment; concurrent assignments count once', async () => {
  const tied = async () => (await pool`select from forge.team_repository`).length
  const answers = await Promise.all([1, 2, 3].map(() => of(addTeam, 'desk', 'writers', ada)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 422, 422])
  assert.equal((await on(add, readers.id, 'desk', ada)).status, 204)
  assert.equal(await tied(), 2)
  const gone = { as: ada, params: { id: readers.id } }
  assert.equal((await call('DELETE /api/v1/teams/{id}', gone)).status, 204)
  assert.equal(await tied(), 1)
  const drop = { as: ada, params: { owner: 'crew', repo: 'desk' } }
  assert.equal((await call('DELETE /api/v1/repos/{owner}/{repo}', drop)).status, 204)
  assert.equal(await tied(), 0)
  assert.ok(rival.id)
})
