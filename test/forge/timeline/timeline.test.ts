import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TimelineComment } from '../../../src/forge/timeline/timeline.shape.ts'
import { startApp } from '../../support/app.ts'
import { bearer } from '../../support/forge/make.ts'

const { call, make, clock, pool } = await startApp()
const [ada, eve, bob] = await make.people('ada', 'eve', 'bob')

const REPO = '/api/v1/repos/{owner}/{repo}'
const TIMELINE = `GET ${REPO}/issues/{index}/timeline`
const root = 'https://forgehall.example/'

/** A repository of ada with issues of eve. */
async function tracker(issues = 1, draft: { is_private?: boolean } = {}) {
  const { name: repo } = await make.repository(ada, draft)
  const params = { owner: 'ada', repo, index: 1 }
  const of = (literal: string, more: object = {}) => {
    const [method, path] = literal.split(' ')
    return call(`${method} ${REPO}${path}`, { as: ada, params, ...more })
  }
  for (let n = 1; n <= issues; n++) await of('POST /issues', { body: { title: `issue ${n}` } })
  return { repo, params, of }
}
type Tracker = Awaited<ReturnType<typeof tracker>>

const entries = async ({ params }: Tracker, query: Record<string, string | number> = {}, as = ada) =>
  (await call(TIMELINE, { as, params, query })).body as TimelineComment[]

/** The members of an entry that say something, without those that all have. */
const facts = ({ id, html_url, issue_url, user, created_at, updated_at, ...rest }: TimelineComment) =>
  Object.fromEntries(
    Object.entries(rest).filter(([name, value]) => value && !(name === 'ref_action' && value === 'none')),
  )

test(`${TIMELINE} has the comments and everything that happened, with who did it, in order`, async () => {
  const at = await tracker()
  const { of } = at
  const { body: label } = await of('POST /labels', { body: { name: 'bug', color: '#ee0701' } })
  const { body: next } = await of('POST /milestones', { body: { title: 'next' } })
  const { body: later } = await of('POST /milestones', { body: { title: 'later' } })
  assert.deepEqual(await entries(at), [])
  const edit = (body: object) => of('PATCH /issues/{index}', { body })
  await of('POST /issues/{index}/labels', { body: { labels: [label.id] } })
  await of('POST /issues/{index}/labels', { body: { labels: [label.id] } })
  await of('DELETE /issues/{index}/labels', {})
  await edit({ milestone: next.id })
  await edit({ milestone: later.id })
  await edit({ milestone: 0 })
  await edit({ assignees: ['ada'] })
  await edit({ assignees: [] })
  await edit({ title: 'another', ref: 'main' })
  await edit({ title: 'another', ref: 'main' })
  await edit({ due_date: '2030-01-02T00:00:00Z' })
  await of('POST /issues/{index}/deadline', { body: { due_date: '2030-02-03T10:00:00Z' } })
  await of('POST /issues/{index}/deadline', { body: {} })
  const { body: created } = await of('POST /issues/{index}/comments', {
    as: eve,
    body: { body: 'So it *is*' },
  })
  await edit({ state: 'closed' })
  await edit({ state: 'open' })
  await of('PUT /issues/{index}/lock', { body: { lock_reason: 'heated' } })
  await of('DELETE /issues/{index}/lock')
  await of('POST /issues/{index}/pin')
  await of('POST /issues/{index}/pin')
  await of('DELETE /issues/{index}/pin')
  const all = await entries(at)
  const issue = `${root}ada/${at.repo}/issues/1`
  const none = { open_issues: 0, closed_issues: 0 }
  assert.deepEqual(all.map(facts), [
    { type: 'label', body: '1', label },
    { type: 'label', label },
    { type: 'milestone', milestone: { ...next, ...none } },
    { type: 'milestone', old_milestone: { ...next, ...none }, milestone: { ...later, ...none } },
    { type: 'milestone', old_milestone: { ...later, ...none } },
    { type: 'assignees', assignee: all[5]?.assignee },
    { type: 'assignees', assignee: all[5]?.assignee, removed_assignee: true },
    { type: 'change_title', old_title: 'issue 1', new_title: 'another' },
    { type: 'change_issue_ref', new_ref: 'main' },
    { type: 'added_deadline', body: '2030-01-02' },
    { type: 'modified_deadline', body: '2030-02-03|2030-01-02' },
    { type: 'removed_deadline', body: '2030-02-03' },
    { type: 'comment', body: 'So it *is*' },
    { type: 'close' },
    { type: 'reopen' },
    { type: 'lock', body: 'heated' },
    { type: 'unlock' },
    { type: 'pin' },
    { type: 'unpin' },
  ])
  assert.equal(all[5]?.assignee?.login, 'ada')
  const comment = all.find(({ type }) => type === 'comment')
  assert.deepEqual(
    [comment?.id, comment?.html_url, comment?.user.login],
    [created.id, created.html_url, 'eve'],
  )
  for (const { id, html_url, issue_url, user, type } of all) {
    assert.deepEqual([html_url, issue_url], [`${issue}#issuecomment-${id}`, issue])
    assert.equal(user.login, type === 'comment' ? 'eve' : 'ada')
  }
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length, 'ids tell the entries apart')
})

test(`${TIMELINE} has what an issue is opened with`, async () => {
  const at = await tracker()
  const { body: label } = await at.of('POST /labels', { body: { name: 'bug', color: '#ee0701' } })
  const { body: milestone } = await at.of('POST /milestones', { body: { title: 'next' } })
  const body = { title: 'new', labels: [label.id], milestone: milestone.id, assignees: ['ada'], closed: true }
  const opened = await at.of('POST /issues', { body })
  const types = (await entries({ ...at, params: { ...at.params, index: opened.body.number } })).map(
    ({ type }) => type,
  )
  assert.deepEqual(types, ['label', 'milestone', 'assignees', 'close'])
})

test(`${TIMELINE} of both issues has a dependency, and shows the other one to those who may read it`, async () => {
  const [open, hidden] = [await tracker(2), await tracker(1, { is_private: true })]
  const on = (index: number, repo = open.repo) => ({ body: { index, owner: 'ada', repo } })
  await open.of('POST /issues/{index}/dependencies', on(2))
  await open.of('DELETE /issues/{index}/dependencies', on(2))
  await open.of('POST /issues/{index}/dependencies', on(1, hidden.repo))
  const seen = async (at: Tracker, index: number, as = ada) =>
    (await entries({ ...at, params: { ...at.params, index } }, {}, as)).map(
      ({ type, dependent_issue: other }) => [type, other && `${other.repository.name}#${other.number}`],
    )
  const between = (other: string) => [
    ['add_dependency', other],
    ['remove_dependency', other],
  ]
  assert.deepEqual(await seen(open, 2), between(`${open.repo}#1`))
  assert.deepEqual(await seen(open, 1), [
    ...between(`${open.repo}#2`),
    ['add_dependency', `${hidden.repo}#1`],
  ])
  assert.deepEqual(await seen(hidden, 1), [['add_dependency', `${open.repo}#1`]])
  assert.deepEqual((await seen(open, 1, eve)).at(-1), ['add_dependency', null], 'eve may not read it')
  await hidden.of('DELETE /issues/{index}')
  assert.deepEqual((await seen(open, 1)).at(-1), ['add_dependency', null], 'it is gone')
})

test(`${TIMELINE} has pages with the total, and a range of time`, async () => {
  const at = await tracker()
  for (const state of ['closed', 'open', 'closed']) {
    clock.tick(60_000)
    await at.of('PATCH /issues/{index}', { body: { state } })
  }
  clock.tick(60_000)
  const middle = clock.now().toISOString()
  clock.tick(60_000)
  const { body: comment } = await at.of('POST /issues/{index}/comments', { body: { body: 'late' } })
  const page = await call(TIMELINE, { params: at.params, query: { limit: 2, page: 2 } })
  assert.deepEqual(
    page.body.map(({ type }: TimelineComment) => type),
    ['close', 'comment'],
  )
  assert.equal(page.headers.get('x-total-count'), '4')
  assert.match(page.headers.get('link') ?? '', /rel="first"/)
  assert.deepEqual(
    (await entries(at, { since: middle })).map(({ id }) => id),
    [comment.id],
  )
  assert.equal((await entries(at, { before: middle })).length, 3)
  assert.deepEqual(await entries(at, { page: 9 }), [])
  assert.equal((await call(TIMELINE, { params: at.params, query: { since: 'yesterday' } })).status, 422)
})

test(`${TIMELINE} shows what has been deleted since as missing, and events go with their issue`, async () => {
  const at = await tracker()
  const { body: label } = await at.of('POST /labels', { body: { name: 'bug', color: '#ee0701' } })
  const { body: milestone } = await at.of('POST /milestones', { body: { title: 'next' } })
  const gone = await make.person()
  await at.of('PUT /collaborators/{collaborator}', {
    params: { ...at.params, collaborator: gone.name },
    body: { permission: 'write' },
  })
  await at.of('POST /issues/{index}/labels', { as: gone, body: { labels: [label.id] } })
  await at.of('PATCH /issues/{index}', { body: { milestone: milestone.id, assignees: [gone.name] } })
  const inRepo = { owner: 'ada', repo: at.repo }
  await at.of('DELETE /labels/{id}', { params: { ...inRepo, id: label.id } })
  await at.of('DELETE /milestones/{id}', { params: { ...inRepo, id: milestone.id } })
  const admin = await make.admin()
  const removed = await call('DELETE /api/v1/admin/users/{username}', {
    as: admin,
    params: { username: gone.name },
    query: { purge: 'true' },
  })
  assert.equal(removed.status, 204)
  const all = await entries(at)
  assert.deepEqual(
    all.map(({ type, user, label, milestone, assignee }) => [
      type,
      user.login,
      label,
      milestone,
      assignee?.login,
    ]),
    [
      ['label', 'Ghost', null, null, undefined],
      ['milestone', 'ada', null, null, undefined],
      ['assignees', 'ada', null, null, 'Ghost'],
    ],
  )
  await at.of('DELETE /issues/{index}')
  const [{ left } = { left: -1 }] = await pool<{ left: number }[]>`
    select count(*) as left from forge.issue_event where id = any(${all.map(({ id }) => id)}::bigint[])`
  assert.equal(left, 0)
})

test(`${TIMELINE} of changes at once has each of them once`, async () => {
  const at = await tracker()
  await Promise.all([1, 2, 3, 4].map(() => at.of('PATCH /issues/{index}', { body: { state: 'closed' } })))
  assert.deepEqual(
    (await entries(at)).map(({ type }) => type),
    ['close'],
  )
})

test(`${TIMELINE} is for those who may read the issues`, async () => {
  const at = await tracker(1, { is_private: true })
  for (const as of [undefined, bob]) {
    const refused = await call(TIMELINE, { ...(as && { as }), params: at.params })
    assert.equal(refused.status, 404)
  }
  assert.equal((await call(TIMELINE, { as: ada, params: { ...at.params, index: 9 } })).status, 404)
  const as = bearer(await make.token(ada, 'read:repository'))
  assert.equal((await call(TIMELINE, { as, params: at.params })).status, 403)
  await at.of('PATCH ', { body: { has_issues: false } })
  assert.equal((await call(TIMELINE, { as: ada, params: at.params })).status, 404)
})
