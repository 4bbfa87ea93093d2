import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { notificationConsumer } from '../../../src/forge/watching/events.ts'
import { startApp } from '../../support/app.ts'
import { startBackground } from '../../support/background.ts'
import { onServer } from '../../support/database.ts'
import type { Repo } from '../../support/forge/issues.fixtures.ts'
import type { Somebody } from '../../support/forge/make.ts'
import { until } from '../../support/wait.ts'

const { call, pool, clock, make } = await startApp()
const boss = await make.admin({ name: 'boss' })
const owner = await make.person({ name: 'Owner' })
const background = startBackground({ pool, clock }, { consumers: [notificationConsumer] })
after(() => background.stop())

const OPEN = 'POST /api/v1/repos/{owner}/{repo}/issues'
const EDIT = 'PATCH /api/v1/repos/{owner}/{repo}/issues/{index}'
const SAY = 'POST /api/v1/repos/{owner}/{repo}/issues/{index}/comments'
const WATCH = 'PUT /api/v1/repos/{owner}/{repo}/subscription'
const SUBSCRIBE = 'PUT /api/v1/repos/{owner}/{repo}/issues/{index}/subscriptions/{user}'
const UNSUBSCRIBE = 'DELETE /api/v1/repos/{owner}/{repo}/issues/{index}/subscriptions/{user}'
const MARK = 'PATCH /api/v1/notifications/threads/{id}'

type Input = { as: Somebody; body?: unknown; user?: string }

/** Asks, and waits until all that follows from it has happened. */
async function ask(literal: string, repo: Repo, { as, body, user = as.name }: Input): Promise<void> {
  const params = { owner: 'owner', repo: repo.name, index: 1, user }
  const { status } = await call(literal, { as, params, ...(body !== undefined && { body }) })
  assert.ok(status < 300, `${literal} ${status}`)
  await settled()
}

const settled = () =>
  until('the outbox is empty', async () => (await pool`select id from forge.event`).length === 0)

/** Who has a thread in which state: `{ ada: 'unread' }`. */
async function threads(repo: Repo): Promise<Record<string, string>> {
  const rows = await pool<{ name: string; status: string }[]>`
    select account.name, status
    from forge.notification
    join forge.account on account.id = account_id
    where repository_id = ${repo.id}
    order by account.key`
  return Object.fromEntries(rows.map(({ name, status }) => [name, status]))
}

const clear = (repo: Repo) => pool`delete from forge.notification where repository_id = ${repo.id}`

/** Marks the thread of somebody. */
async function mark(repo: Repo, as: Somebody, status: string): Promise<void> {
  const [row] = await pool`
    select id from forge.notification where repository_id = ${repo.id} and account_id = ${as.id}`
  const answered = await call(MARK, { as, params: { id: row?.id }, query: { 'to-status': status } })
  assert.equal(answered.status, 205)
}

test('a new issue notifies the watchers of the repository and the accounts that it mentions, not its author', async () => {
  const repo = await make.repository(owner)
  const [ada, bob, eve] = [await make.person(), await make.person(), await make.person()]
  await ask(WATCH, repo, { as: ada })
  await ask(WATCH, repo, { as: eve })
  const body = `@${bob.name.toUpperCase()}, see \`@boss\` and @nobody. @${eve.name} @owner`
  await ask(OPEN, repo, { as: eve, body: { title: 'x', body } })
  assert.deepEqual(await threads(repo), { [ada.name]: 'unread', [bob.name]: 'unread', Owner: 'unread' })
})

test('a title mentions accounts, too', async () => {
  const repo = await make.repository(owner)
  const ada = await make.person()
  await ask(OPEN, repo, { as: owner, body: { title: `@${ada.name}: it leaks` } })
  assert.deepEqual(await threads(repo), { [ada.name]: 'unread' })
})

test('a comment notifies the author, other participants, subscribers and watchers', async () => {
  const repo = await make.repository(owner)
  const [author, talker, subscriber, quiet, actor] = [
    await make.person({ name: 'author' }),
    await make.person({ name: 'talker' }),
    await make.person({ name: 'subscriber' }),
    await make.person({ name: 'quiet' }),
    await make.person({ name: 'doer' }),
  ]
  await ask(OPEN, repo, { as: author, body: { title: 'x' } })
  await ask(SAY, repo, { as: talker, body: { body: 'x' } })
  await ask(SAY, repo, { as: quiet, body: { body: 'x' } })
  await ask(SUBSCRIBE, repo, { as: subscriber })
  await ask(UNSUBSCRIBE, repo, { as: quiet })
  await clear(repo)
  await ask(SAY, repo, { as: actor, body: { body: 'x' } })
  assert.deepEqual(await threads(repo), {
    author: 'unread',
    Owner: 'unread',
    subscriber: 'unread',
    talker: 'unread',
  })
  await clear(repo)
  await ask(SAY, repo, { as: actor, body: { body: '@quiet' } })
  assert.equal((await threads(repo)).quiet, 'unread', 'who is addressed hears of it all the same')
})

test('closing and reopening notify the audience, other edits notify nobody', async () => {
  const repo = await make.repository(owner)
  const ada = await make.person()
  await ask(OPEN, repo, { as: ada, body: { title: 'x' } })
  for (const state of ['closed', 'open']) {
    await clear(repo)
    await ask(EDIT, repo, { as: owner, body: { state } })
    assert.deepEqual(await threads(repo), { [ada.name]: 'unread' })
  }
  await clear(repo)
  await ask(EDIT, repo, { as: owner, body: { title: 'y', body: `@${ada.name}`, state: 'open' } })
  assert.deepEqual(await threads(repo), {})
})

test('an assignment notifies the assignee, unless they assigned themselves', async () => {
  const repo = await make.repository(owner)
  const [ada, bob] = [await make.person(), await make.person()]
  for (const { id } of [ada, bob])
    await pool`
      insert into forge.repository_collaborator (repository_id, account_id, permission)
      values (${repo.id}, ${id}, 'write')`
  await ask(OPEN, repo, { as: owner, body: { title: 'x', assignees: [ada.name, 'owner'] } })
  assert.deepEqual(await threads(repo), { [ada.name]: 'unread' })
  await clear(repo)
  await ask(EDIT, repo, { as: ada, body: { assignees: [ada.name, bob.name] } })
  assert.deepEqual(await threads(repo), { [bob.name]: 'unread' })
  await clear(repo)
  await ask(EDIT, repo, { as: bob, body: { assignees: [bob.name] } })
  assert.deepEqual(await threads(repo), {}, 'an unassignment notifies nobody')
})

test('activity makes a read thread unread, keeps a pinned one pinned, and moves both to the top; an issue has one thread', async () => {
  const repo = await make.repository(owner)
  const [ada, bob] = [await make.person(), await make.person()]
  await ask(OPEN, repo, { as: owner, body: { title: `@${ada.name} @${bob.name}` } })
  await mark(repo, ada, 'read')
  await mark(repo, bob, 'pinned')
  clock.tick(60_000)
  await ask(SAY, repo, { as: owner, body: { body: `@${ada.name} @${bob.name}` } })
  assert.deepEqual(await threads(repo), { [ada.name]: 'unread', [bob.name]: 'pinned' })
  const rows =
    await pool`select updated_at, updated_by from forge.notification where repository_id = ${repo.id}`
  assert.equal(rows.length, 2)
  for (const { updated_at, updated_by } of rows)
    assert.deepEqual([updated_at, updated_by], [clock.now().toISOString(), owner.id])
})

test('no notifications for those who may not read the issue or sign in, nor for organizations', async () => {
  const repo = await make.repository(owner, { is_private: true })
  const [guest, stranger, idle, barred] = [
    await make.person({ name: 'guest' }),
    await make.person({ name: 'stranger' }),
    await make.person({ name: 'idle' }),
    await make.person({ name: 'barred' }),
  ]
  await make.organization(stranger, { name: 'guild' })
  for (const { id } of [guest, idle, barred])
    await pool`
      insert into forge.repository_collaborator (repository_id, account_id, permission)
      values (${repo.id}, ${id}, 'read')`
  await pool`update forge.account set is_active = false where id = ${idle.id}`
  await pool`update forge.account set prohibit_login = true where id = ${barred.id}`
  const body = '@guest @stranger @idle @barred @guild @boss'
  await ask(OPEN, repo, { as: owner, body: { title: 'x', body } })
  assert.deepEqual(await threads(repo), { boss: 'unread', guest: 'unread' })
  assert.ok(boss.id)
})

test('one statement notifies a thousand watchers of an issue', async () => {
  const repo = await make.repository(owner)
  await pool`
    insert into forge.account (kind, name, created_at, updated_at)
    select 'person', 'watcher' || n, ${clock.now()}, ${clock.now()} from generate_series(1, 1000) as n`
  await pool`
    insert into forge.repository_watch (repository_id, account_id, created_at)
    select ${repo.id}, id, ${clock.now()} from forge.account where name like 'watcher%'`
  await ask(OPEN, repo, { as: owner, body: { title: 'x' } })
  assert.equal(Object.keys(await threads(repo)).length, 1000)
  const [row] = await pool`select watchers_count from forge.repository where id = ${repo.id}`
  assert.equal(row?.watchers_count, 1001)
})

test('an issue that is deleted before its notifications blocks nothing', async () => {
  const repo = await make.repository(owner)
  const notice = { issue: 987_654_321, actor: owner.id, audience: true, names: [], accounts: [boss.id] }
  await make.begin((tx) => tx.emitAll([{ kind: 'issue.activity', payload: notice }]))
  await settled()
  assert.deepEqual(await threads(repo), {})
})

if (onServer) {
  test('activity on many issues and marking at the same time end without an error', async () => {
    const repo = await make.repository(owner)
    const people = await Promise.all(Array.from({ length: 6 }, () => make.person()))
    for (const as of people) await ask(WATCH, repo, { as })
    const params = { owner: 'owner', repo: repo.name }
    const opening = Array.from({ length: 12 }, (_, n) =>
      call(OPEN, { as: owner, params, body: { title: `n${n}` } }),
    )
    const marking = people.flatMap((as) =>
      Array.from({ length: 4 }, () =>
        call('PUT /api/v1/notifications', { as, query: { all: 'true', 'to-status': 'unread' } }),
      ),
    )
    for (const { status } of await Promise.all([...opening, ...marking])) assert.ok(status < 300)
    await settled()
    const [row] =
      await pool`select count(*) as threads from forge.notification where repository_id = ${repo.id}`
    assert.equal(row?.threads, 12 * people.length)
  })
}

test('a user who marks threads delays nobody who writes to their issues', { skip: !onServer }, async () => {
  const repo = await make.repository(owner)
  const [ada, bob] = [await make.person(), await make.person()]
  await ask(WATCH, repo, { as: ada })
  const say = (index: number) =>
    call(SAY, { as: bob, params: { owner: 'owner', repo: repo.name, index }, body: { body: 'more' } })
  const issues = Array.from({ length: 12 }, (_, at) => at + 1)
  for (const index of issues) await ask(OPEN, repo, { as: bob, body: { title: `issue ${index}` } })
  for (let round = 0; round < 6; round++) {
    // Last things first, as no list of threads has them.
    const comments = issues.toReversed().map(say)
    const marked = issues.map(() => call('PUT /api/v1/notifications', { as: ada, query: { all: 'true' } }))
    for (const { status } of await Promise.all([...comments, ...marked])) assert.ok(status < 300, `${status}`)
  }
  // An event that had failed would come again when the clock has gone on, which it does not.
  await settled()
})
