import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdDueEvents } from '../../../src/db/outbox-events.ts'
import { notificationConsumer } from '../../../src/forge/watching/events.ts'
import { startApp } from '../../support/app.ts'
import { at, type Repo } from '../../support/forge/issues.fixtures.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const { call, pool, make } = await startApp()
const boss = await make.admin({ name: 'boss' })
const [owner, ada, eve] = await make.people('Owner', 'ada', 'eve')

const OPEN = 'POST /api/v1/repos/{owner}/{repo}/issues'
const SHOW = 'GET /api/v1/repos/{owner}/{repo}/issues/{index}'
const REMOVE = 'DELETE /api/v1/repos/{owner}/{repo}/issues/{index}'
const COMMENT = 'POST /api/v1/repos/{owner}/{repo}/issues/{index}/comments'
const REPOSITORY = 'GET /api/v1/repos/{owner}/{repo}'

const open = (repo: Repo, body: object, as: Somebody = ada) => call(OPEN, { as, params: at(repo), body })
const remove = (repo: Repo, index: number | string, as: { authorization: string } = owner) =>
  call(REMOVE, { as, params: at(repo, { index }) })
const say = (repo: Repo, index: number, as: Somebody = eve) =>
  call(COMMENT, { as, params: at(repo, { index }), body: { body: 'Well, @ada' } })
const openIssues = async (repo: Repo) => (await call(REPOSITORY, { params: at(repo) })).body.open_issues_count
const unread = async (as: Somebody) =>
  (await call('GET /api/v1/notifications/new', { as })).body.new as number
const spread = () =>
  make.begin(async (tx) => notificationConsumer(tx, await holdDueEvents(tx, 1000, tx.now), tx.now))

/** The tables that refer to issues or to comments. */
const referring = await pool<{ table: string; column: string; to: string }[]>`
  select distinct conrelid::regclass::text as table, attname as column, confrelid::regclass::text as to
  from pg_constraint
  join pg_attribute on attrelid = conrelid and attnum = conkey[1]
  where contype = 'f' and confrelid = any(array['forge.issue', 'forge.issue_comment']::regclass[])`

test(`${REMOVE} removes an issue with all that belongs to it, and keeps the counts right`, async () => {
  const repo = await make.repository(owner)
  const label = await call('POST /api/v1/repos/{owner}/{repo}/labels', {
    as: owner,
    params: at(repo),
    body: { name: 'bug', color: 'fff' },
  })
  await open(repo, { title: 'kept' })
  await call(OPEN, {
    as: owner,
    params: at(repo),
    body: { title: 'gone, @ada', labels: [label.body.id], assignees: ['owner'] },
  })
  await open(repo, { title: 'closed', closed: true }, owner)
  const { body: comment } = await say(repo, 2)
  await say(repo, 1)
  for (const [literal, params] of [
    ['POST /api/v1/repos/{owner}/{repo}/issues/{index}/reactions', at(repo, { index: 2 })],
    ['POST /api/v1/repos/{owner}/{repo}/issues/comments/{id}/reactions', at(repo, { id: comment.id })],
  ] as const)
    assert.equal((await call(literal, { as: eve, params, body: { content: '+1' } })).status, 201)
  const subscription = { as: eve, params: at(repo, { index: 2, user: 'eve' }) }
  await call('PUT /api/v1/repos/{owner}/{repo}/issues/{index}/subscriptions/{user}', subscription)
  await spread()
  const before = await unread(ada)
  assert.ok(before >= 2)
  await pool`delete from forge.event`
  const [gone] = await pool<[{ id: number }]>`
    select id from forge.issue where repository_id = ${repo.id} and number = 2`
  const held = async () => {
    const counts = referring.map(async ({ table, column, to }) => {
      const id = to === 'forge.issue' ? gone.id : comment.id
      const rows = await pool.unsafe(`select from ${table} where ${column} = $1`, [id])
      return [table, rows.length] as const
    })
    return (await Promise.all(counts)).filter(([, count]) => count > 0).map(([table]) => table)
  }
  assert.ok((await held()).length >= 7, 'there was something of each kind')

  assert.equal((await remove(repo, 2)).status, 204)

  holdRefusal(await remove(repo, 2), 404, 'not found')
  holdRefusal(await call(SHOW, { params: at(repo, { index: 2 }) }), 404, 'not found')
  assert.equal((await say(repo, 2)).status, 404)
  assert.deepEqual(await held(), [])
  assert.equal(await unread(ada), before - 1)
  assert.equal(await openIssues(repo), 1)
  assert.equal((await remove(repo, 3)).status, 204)
  assert.equal(await openIssues(repo), 1, 'a closed one was not counted')
  const { body: kept } = await call(SHOW, { params: at(repo, { index: 1 }) })
  assert.equal(kept.comments, 1)
  const events = await pool<{ action: string; title: string }[]>`
    select payload ->> 'action' as action, payload -> 'issue' ->> 'title' as title
    from forge.event where kind = 'issue.changed' order by id`
  assert.deepEqual(
    events.map(({ action, title }) => `${action}: ${title}`),
    ['deleted: gone, @ada', 'deleted: closed'],
  )
  assert.equal((await open(repo, { title: 'next' })).body.number, 4, 'no number is given twice')
  const deeds = await pool`
    select actor_name, target_name, details from forge.audit where action = 'issue.deleted' order by id`
  assert.deepEqual(
    { ...deeds[0] },
    {
      actor_name: 'Owner',
      target_name: `Owner/${repo.name}#2`,
      details: { title: 'gone, @ada' },
    },
  )
})

test(`${REMOVE} is for administrators of the repository, with a token for issues`, async () => {
  const repo = await make.repository(owner)
  const secret = await make.repository(owner, { is_private: true })
  for (let n = 0; n < 4; n++) await open(repo, { title: 'x' })
  await open(secret, { title: 'x' }, owner)
  const sentence = 'user should be an owner or a collaborator with admin write of a repository'
  holdRefusal(await remove(repo, 1, ada), 403, sentence)
  const grant = (permission: string) => pool`
    insert into forge.repository_collaborator (repository_id, account_id, permission)
    values (${repo.id}, ${ada.id}, ${permission})
    on conflict (repository_id, account_id) do update set permission = excluded.permission`
  await grant('write')
  holdRefusal(await remove(repo, 1, ada), 403, sentence)
  assert.equal((await call(REMOVE, { params: at(repo, { index: 1 }) })).status, 401)
  holdRefusal(await remove(secret, 1, eve), 404, 'not found')
  for (const scope of ['read:issue', 'write:repository'])
    assert.match(
      (await remove(repo, 1, bearer(await make.token(owner, scope)))).body.message,
      /required=\[write:issue\]/,
    )
  holdRefusal(
    await remove(secret, 1, bearer(await make.token(owner, 'public-only', 'write:issue'))),
    403,
    'token scope is limited to public repos',
  )
  await pool`update forge.repository set is_archived = true where id = ${repo.id}`
  holdRefusal(await remove(repo, 1), 423, `Owner/${repo.name} is archived`)
  await pool`update forge.repository set is_archived = false where id = ${repo.id}`
  assert.equal(await openIssues(repo), 4)
  await grant('admin')
  assert.equal((await remove(repo, 1, ada)).status, 204)
  assert.equal((await remove(repo, 2, boss)).status, 204)
  assert.equal((await remove(repo, 3, bearer(await make.token(owner, 'write:issue')))).status, 204)
  for (const index of ['0', '1', '5', '-1', 'x', '4.0', '99999999999999999999', 'comments'])
    holdRefusal(await remove(repo, index), 404, 'not found')
  assert.equal(await openIssues(repo), 1)
})

test(`${REMOVE} while others comment, read and delete: one request deletes it, and none fails with a 5xx`, async () => {
  const repo = await make.repository(owner)
  for (let n = 1; n <= 5; n++) {
    await open(repo, { title: `x ${n}` })
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at_) => (at_ % 3 === 0 ? remove(repo, n) : say(repo, n))),
    )
    const statuses = answers.map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 204).length, 1)
    assert.ok(
      statuses.every((status) => [201, 204, 404].includes(status)),
      String(statuses),
    )
  }
  await spread()
  assert.equal(await openIssues(repo), 0)
  assert.equal((await pool`select from forge.notification where repository_id = ${repo.id}`).length, 0)
})
