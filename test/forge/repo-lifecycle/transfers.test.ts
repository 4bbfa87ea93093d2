import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { notificationConsumer } from '../../../src/forge/watching/events.ts'
import { startApp } from '../../support/app.ts'
import { startBackground } from '../../support/background.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'
import { until } from '../../support/wait.ts'

const folder = await temporaryFolder()
const { call, pool, clock, make } = await startApp({ DATA_DIR: folder })
const boss = await make.admin({ name: 'boss' })
const [ada, bob, eve] = await make.people('Ada', 'Bob', 'eve')
const guild = await make.organization(bob, { name: 'Guild' })
const background = startBackground({ pool, clock }, { consumers: [notificationConsumer] })
after(() => background.stop())

const OFFER = 'POST /api/v1/repos/{owner}/{repo}/transfer'
const ACCEPT = 'POST /api/v1/repos/{owner}/{repo}/transfer/accept'
const REJECT = 'POST /api/v1/repos/{owner}/{repo}/transfer/reject'
const SHOW = 'GET /api/v1/repos/{owner}/{repo}'

let made = 0

/** A repository of Ada's with a directory. */
async function repository(wish: object = {}): Promise<string> {
  const name = `engine${++made}`
  const { status } = await call('POST /api/v1/user/repos', { as: ada, body: { name, ...wish } })
  assert.equal(status, 201)
  return name
}

const ask = (literal: string, repo: string, as: Somebody, body?: unknown) =>
  call(literal, { as, params: { owner: 'ada', repo }, ...(body !== undefined && { body }) })
const offer = (repo: string, to: string, as: Somebody = ada, more: object = {}) =>
  ask(OFFER, repo, as, { new_owner: to, ...more })
const directory = (owner: string, name: string) =>
  existsSync(join(folder, 'repositories', owner, `${name}.git`))
const ownerOf = async (repo: string) =>
  (
    await pool`
      select account.name from forge.repository join forge.account on account.id = owner_id
      where repository.name = ${repo} and state = 'ready'`
  )[0]?.name
const deeds = async (repo: string) =>
  (
    await pool`
      select action from forge.audit where target_name like ${`%/${repo}`} and action like 'repository.transfer%'
      order by id`
  ).map(({ action }) => action)

/** Who has how many threads about a repository. */
async function threads(repo: string): Promise<Record<string, number>> {
  await until('the outbox holds no offer', async () => {
    const rows = await pool`select id from forge.event where kind = 'transfer.offered'`
    return rows.length === 0
  })
  const rows = await pool`
    select account.name, count(*) as threads
    from forge.notification
    join forge.account on account.id = account_id
    join forge.repository on repository.id = repository_id
    where repository.name = ${repo} and source = 'repository'
    group by account.name`
  return Object.fromEntries(rows.map(({ name, threads }) => [name, threads]))
}

test(`${OFFER} offers the repository to another user: 201, an unread thread, nothing moved`, async () => {
  const repo = await repository({ private: true })
  const { status, body } = await offer(repo, 'BOB')
  assert.deepEqual([status, body.full_name], [201, `Ada/${repo}`])
  assert.equal(await ownerOf(repo), 'Ada')
  assert.deepEqual(await threads(repo), { Bob: 1 })
  const { body: listed } = await call('GET /api/v1/notifications', {
    as: bob,
    query: { 'subject-type': 'repository' },
  })
  assert.equal(listed[0].subject.title, `Ada/${repo}`, 'who is asked may look at it')
  assert.deepEqual([listed[0].subject.type, listed[0].unread], ['Repository', true])
  const shown = await call(SHOW, { as: bob, params: { owner: 'ada', repo } })
  assert.deepEqual(shown.body.permissions, { admin: false, push: false, pull: true })
  holdRefusal(await offer(repo, 'eve'), 409, 'the repository is offered to somebody already')
  assert.deepEqual(await deeds(repo), ['repository.transfer_offered'])
})

test(`${ACCEPT} moves the repository with its directory and redirects the old path`, async () => {
  const repo = await repository({ private: true, auto_init: true })
  await pool`
    insert into forge.repository_collaborator (repository_id, account_id, permission)
    select id, ${bob.id}, 'read' from forge.repository where name = ${repo}`
  await offer(repo, 'bob')
  const { status, body } = await ask(ACCEPT, repo, bob)
  assert.deepEqual([status, body.full_name, body.owner.login], [202, `Bob/${repo}`, 'Bob'])
  assert.deepEqual(body.permissions, { admin: true, push: true, pull: true })
  assert.equal(await ownerOf(repo), 'Bob')
  assert.deepEqual([directory('ada', repo), directory('bob', repo)], [false, true])
  const moved = await call(SHOW, { as: bob, params: { owner: 'ada', repo } })
  assert.deepEqual([moved.status, moved.headers.get('location')], [307, `/api/v1/repos/Bob/${repo}`])
  holdRefusal(await call(SHOW, { as: ada, params: { owner: 'ada', repo } }), 404, 'not found')
  const left =
    await pool`select account_id from forge.repository_collaborator where repository_id = ${body.id}`
  assert.equal(left.length, 0, 'who owns it is no collaborator')
  const watching = await call('GET /api/v1/repos/{owner}/{repo}/subscribers', {
    as: bob,
    params: { owner: 'bob', repo },
  })
  const watchers = watching.body.map(({ login }: { login: string }) => login)
  assert.deepEqual(watchers, ['Bob'], 'who may not read it any more does not watch it')
  assert.deepEqual(await deeds(repo), ['repository.transfer_offered', 'repository.transferred'])
  const again = await call(ACCEPT, { as: bob, params: { owner: 'bob', repo } })
  holdRefusal(again, 404, 'not found')
})

test(`${REJECT} changes nothing else; the owner may withdraw the offer`, async () => {
  const repo = await repository()
  for (const [n, as] of [bob, ada, boss].entries()) {
    await offer(repo, 'bob')
    assert.deepEqual(await threads(repo), { Bob: n + 1 }, 'each offer is told')
    const { status, body } = await ask(REJECT, repo, as)
    assert.deepEqual([status, body.full_name], [200, `Ada/${repo}`])
    holdRefusal(await ask(REJECT, repo, as), 404, 'not found')
    holdRefusal(await ask(ACCEPT, repo, bob), 404, 'not found')
  }
  assert.equal(directory('ada', repo), true)
})

test(`${ACCEPT} and ${REJECT} are for the recipient`, async () => {
  const repo = await repository()
  await offer(repo, 'bob')
  const sentence = 'user does not have permission to accept or reject this transfer'
  holdRefusal(await ask(ACCEPT, repo, eve), 403, sentence)
  holdRefusal(await ask(REJECT, repo, eve), 403, sentence)
  holdRefusal(await ask(ACCEPT, repo, ada), 403, sentence)
  assert.equal((await ask(ACCEPT, repo, boss)).status, 202)
  assert.equal(await ownerOf(repo), 'Bob')
})

test(`${OFFER} moves at once where the caller may create: 202`, async () => {
  const creators = await make.team(guild, [ada], { can_create_repositories: true })
  const first = await repository()
  const { status, body } = await offer(first, 'guild', ada, { team_ids: [creators.id] })
  assert.deepEqual([status, body.full_name], [202, `Guild/${first}`])
  assert.deepEqual([directory('ada', first), directory('guild', first)], [false, true])
  const given = await pool`select team_id from forge.team_repository where repository_id = ${body.id}`
  assert.deepEqual(
    given.map(({ team_id }) => team_id),
    [creators.id],
  )
  const second = await repository()
  assert.equal((await offer(second, 'eve', boss)).status, 202, 'administrators ask nobody')
  assert.equal(await ownerOf(second), 'eve')
  await pool`delete from forge.team where id = ${creators.id}`
  await pool`delete from forge.membership where account_id = ${ada.id}`
})

test('Teams lose a repository that leaves their organization, also when it comes back', async () => {
  const keeper = await make.person({ name: 'keeper' })
  const keepers = await make.team(guild, [keeper], { permission: 'read' })
  const repo = await repository({ private: true })
  const move = (owner: string, to: string, team_ids: number[] = []) =>
    call(OFFER, { as: boss, params: { owner, repo }, body: { new_owner: to, team_ids } })
  const seen = async () => (await call(SHOW, { as: keeper, params: { owner: 'guild', repo } })).status
  assert.equal((await move('ada', 'guild', [keepers.id])).status, 202)
  assert.equal(await seen(), 200)
  assert.equal((await move('guild', 'ada')).status, 202)
  assert.equal((await move('ada', 'guild')).status, 202)
  assert.equal(await seen(), 404)
})

test(`${OFFER} notifies all who may create in an organization, and one of them decides`, async () => {
  const [creator, plain] = [await make.person({ name: 'creator' }), await make.person({ name: 'plain' })]
  const creators = await make.team(guild, [creator], { can_create_repositories: true })
  await make.team(guild, [plain])
  const repo = await repository({ private: true })
  assert.equal((await offer(repo, 'Guild', ada, { team_ids: [creators.id] })).status, 201)
  assert.deepEqual(await threads(repo), { Bob: 1, creator: 1 })
  holdRefusal(await ask(ACCEPT, repo, plain), 404, 'not found')
  const { status, body } = await ask(ACCEPT, repo, creator)
  assert.deepEqual([status, body.full_name], [202, `Guild/${repo}`])
  assert.equal((await pool`select 1 from forge.team_repository where repository_id = ${body.id}`).length, 1)
})

test(`${OFFER} is for owners, with a token for repositories`, async () => {
  const repo = await repository()
  const params = { owner: 'ada', repo }
  holdRefusal(await offer(repo, 'bob', eve), 403, 'user should be the owner of the repo')
  assert.equal((await call(OFFER, { params, body: { new_owner: 'bob' } })).status, 401)
  for (const literal of [OFFER, ACCEPT, REJECT]) {
    const as = bearer(await make.token(ada, 'write:issue', 'read:repository'))
    const poor = await call(literal, { params, as, ...(literal === OFFER && { body: { new_owner: 'bob' } }) })
    assert.match(poor.body.message, /required=\[write:repository\]/)
    const unknown = await ask(literal, 'none', ada, literal === OFFER ? { new_owner: 'bob' } : undefined)
    assert.equal(unknown.status, 404)
  }
})

test(`${OFFER} refuses invalid recipients and teams`, async () => {
  const repo = await repository()
  const hidden = await make.organization(bob, { name: 'hidden', visibility: 'private' })
  const foreign = await make.team(hidden, [])
  const sentence = 'The new owner does not exist or cannot be found'
  for (const name of ['nobody', 'hidden', "'; drop", 'x'.repeat(300)])
    holdRefusal(await offer(repo, name), 404, sentence)
  holdRefusal(await offer(repo, 'Ada'), 422, 'the repository belongs to that owner already')
  const teams = { team_ids: [foreign.id] }
  holdRefusal(
    await offer(repo, 'guild', ada, teams),
    422,
    `team does not belong to the new owner [id: ${foreign.id}]`,
  )
  holdRefusal(
    await offer(repo, 'bob', ada, teams),
    422,
    `team does not belong to the new owner [id: ${foreign.id}]`,
  )
  for (const body of [{}, { new_owner: '' }, { new_owner: null }])
    holdRefusal(await ask(OFFER, repo, ada, body), 422, '[NewOwner]: Required')
  for (const body of [{ new_owner: 7 }, { new_owner: 'bob', team_ids: 'x' }, [], '', 'x'])
    assert.equal((await ask(OFFER, repo, ada, body)).status, 422)
  assert.deepEqual(await deeds(repo), [])
})

test(`${OFFER} and ${ACCEPT} refuse a name that the new owner has, and more repositories than it may have`, async () => {
  const repo = await repository()
  await make.repository(bob, { name: repo })
  const said = `repository already exists [uname: Bob, name: ${repo}]`
  holdRefusal(await offer(repo, 'bob', boss), 422, said)
  assert.equal((await offer(repo, 'bob')).status, 201)
  holdRefusal(await ask(ACCEPT, repo, bob), 422, said)
  assert.equal((await ask(REJECT, repo, bob)).status, 200, 'the offer still stands after a refusal')
  await pool`update forge.account set max_repo_creation = 0 where id = ${eve.id}`
  await offer(repo, 'eve')
  const full = await ask(ACCEPT, repo, eve)
  holdRefusal(full, 403, 'user has reached maximum limit of repositories [limit: 0]')
  assert.equal(await ownerOf(repo), 'Ada')
})

test(`${ACCEPT} by concurrent requests transfers once`, async () => {
  const repo = await repository()
  await offer(repo, 'bob')
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, n) => ask(n % 3 ? ACCEPT : REJECT, repo, bob)),
  )
  const good = answers.filter(({ status }) => status < 300)
  assert.equal(good.length, 1)
  for (const { status } of answers) assert.ok([200, 202, 307, 404].includes(status), `${status}`)
})

test('an old path redirects readers of the repository, until a new repository has that path', async () => {
  const repo = await repository()
  await offer(repo, 'bob', boss)
  const params = { owner: 'ada', repo }
  for (const as of [undefined, eve, ada, boss]) {
    const { status, headers } = await call(SHOW, { params, ...(as && { as }) })
    assert.deepEqual([status, headers.get('location')], [307, `/api/v1/repos/Bob/${repo}`])
  }
  await pool`update forge.account set visibility = 'limited' where id = ${bob.id}`
  assert.equal((await call(SHOW, { params })).status, 404)
  assert.equal((await call(SHOW, { params, as: eve })).status, 307)
  await pool`update forge.account set visibility = 'private' where id = ${bob.id}`
  assert.equal((await call(SHOW, { params, as: eve })).status, 404)
  assert.equal((await call(SHOW, { params, as: bob })).status, 307)
  await pool`update forge.account set visibility = 'public' where id = ${bob.id}`
  const body = { name: repo }
  assert.equal((await call('POST /api/v1/user/repos', { as: ada, body })).status, 201)
  assert.equal((await call(SHOW, { params })).body.full_name, `Ada/${repo}`)
})

test(`${OFFER} lets lists show the repository to those who see its new owner`, async () => {
  const hermit = await make.person({ visibility: 'private' })
  const repo = await repository()
  const found = async (as?: Somebody) =>
    (await call('GET /api/v1/repos/search', { query: { q: repo }, ...(as && { as }) })).body.data.length
  assert.deepEqual([await found(), await found(eve)], [1, 1])
  await offer(repo, hermit.name, boss)
  assert.deepEqual([await found(), await found(eve), await found(hermit)], [0, 0, 1])
  const params = { owner: hermit.name, repo }
  const back = await call(OFFER, { as: boss, params, body: { new_owner: 'ada' } })
  assert.equal(back.status, 202)
  assert.deepEqual([await found(), await found(eve)], [1, 1])
})

test('deleting the recipient of an offer deletes the offer', async () => {
  const repo = await repository()
  const short = await make.person()
  await offer(repo, short.name)
  const removal = { as: boss, params: { username: short.name } }
  assert.equal((await call('DELETE /api/v1/admin/users/{username}', removal)).status, 204)
  assert.equal((await offer(repo, 'bob')).status, 201)
})
