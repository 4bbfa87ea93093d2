import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../support/app.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { queuedMessages } from '../../../support/forge/hook-messages.ts'
import type { Somebody } from '../../../support/forge/make.ts'
import { pullMakers } from '../../../support/forge/pulls.ts'

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const { pool } = app
const [ada, bob, cyd, dan] = await app.make.people('ada', 'bob', 'cyd', 'dan')
const { on, repository, admit, propose } = pullMakers(app, ada)

const PULLS = '/api/v1/repos/{owner}/{repo}/pulls'
const RESOLVE = `POST ${PULLS}/comments/{id}/resolve`
const UNRESOLVE = `POST ${PULLS}/comments/{id}/unresolve`
const REPLY = `POST ${PULLS}/{index}/comments/{id}/replies`

/** A pull request of cyd with a comment of bob, who may write, on its first line, and a draft of dan. */
async function discussed() {
  const repo = await repository()
  await admit(repo, bob)
  const { number: index } = await propose(repo, 'topic', { as: cyd })
  const comments = [{ path: 'topic.txt', body: 'Why?', new_position: 1 }]
  const say = async (as: Somebody, event: string) => {
    const body = { event, body: 'Read', comments }
    const { body: made } = await on(repo)('POST /pulls/{index}/reviews', { index }, { as, body })
    const of = { index, id: made.id }
    const listed = await on(repo)('GET /pulls/{index}/reviews/{id}/comments', of, { as })
    return { review: made.id as number, id: listed.body[0].id as number }
  }
  const { review, id } = await say(bob, 'COMMENT')
  const draft = await say(dan, 'PENDING')
  const listed = async () =>
    (await on(repo)('GET /pulls/{index}/reviews/{id}/comments', { index, id: review })).body
  const reply = (as: Somebody, body: object, of: object = {}) =>
    on(repo)('POST /pulls/{index}/comments/{id}/replies', { index, id, ...of }, { as, body })
  const resolve = (as: Somebody, what = 'resolve', of = id) =>
    on(repo)(`POST /pulls/comments/{id}/${what}`, { id: of }, { as })
  return { repo, index, review, id, draft, listed, reply, resolve }
}

test(`${REPLY} adds to the conversation, and tells about it`, async () => {
  const { index, review, id, listed, reply } = await discussed()
  const { status, body } = await reply(cyd, { body: 'Because of @bob' })
  assert.equal(status, 201)
  assert.deepEqual(
    [body.user.login, body.body, body.path, body.position, body.pull_request_review_id],
    ['cyd', 'Because of @bob', 'topic.txt', 1, review],
  )
  assert.match(body.diff_hunk, /^@@ -0,0 \+1,1 @@\n\+one$/)
  assert.deepEqual(
    (await listed()).map((each: { id: number }) => each.id),
    [id, body.id],
  )
  const messages = (await queuedMessages(pool)).filter(({ event }) => event === 'pull_request_comment')
  assert.deepEqual(
    messages.map(({ payload }) => [payload.action, payload.comment.body, payload.issue.number]),
    [['created', 'Because of @bob', index]],
  )
})

test(`${RESOLVE} and ${UNRESOLVE} are for the author, writers and official reviewers`, async () => {
  const { repo, resolve, listed } = await discussed()
  const resolver = async () => (await listed())[0].resolver?.login
  assert.equal((await resolve(dan)).status, 403)
  assert.equal((await resolve(dan, 'unresolve')).status, 403)
  assert.equal(await resolver(), undefined)
  assert.equal((await resolve(cyd)).status, 204)
  assert.equal((await resolve(bob)).status, 204)
  assert.equal(await resolver(), 'cyd')
  assert.equal((await resolve(bob, 'unresolve')).status, 204)
  assert.equal((await resolve(bob, 'unresolve')).status, 204)
  assert.equal(await resolver(), undefined)
  const list = { enable_approvals_whitelist: true, approvals_whitelist_username: ['dan'] }
  await admit(repo, dan, 'read')
  await on(repo)('POST /branch_protections', {}, { body: { rule_name: 'main', ...list } })
  assert.equal((await resolve(dan)).status, 204)
  assert.equal(await resolver(), 'dan')
})

test(`${REPLY} and ${RESOLVE} find no drafts, no other requests, and nothing in archived repositories`, async () => {
  const { repo, index, draft, listed, reply, resolve } = await discussed()
  for (const missing of [
    await reply(bob, { body: 'x' }, { id: draft.id }),
    await reply(dan, { body: 'x' }, { id: draft.id }),
    await reply(bob, { body: 'x' }, { id: 987654 }),
    await reply(bob, { body: 'x' }, { index: index + 1 }),
    await resolve(bob, 'resolve', draft.id),
    await resolve(bob, 'unresolve', 987654),
  ])
    assert.equal(missing.status, 404)
  const other = await propose(repo, 'other')
  assert.equal((await reply(bob, { body: 'x' }, { index: other.number })).status, 404)
  for (const body of [{}, { body: '' }, { body: 'x'.repeat(65_537) }, { body: 1 }])
    assert.equal((await reply(bob, body)).status, 422)
  await on(repo)('PUT /issues/{index}/lock', { index }, { body: {} })
  assert.equal((await reply(cyd, { body: 'x' })).status, 403)
  await on(repo)('PATCH ', {}, { body: { archived: true } })
  assert.equal((await reply(bob, { body: 'x' })).status, 423)
  assert.equal((await resolve(bob)).status, 423)
  assert.equal((await resolve(bob, 'unresolve')).status, 423)
  assert.equal((await listed()).length, 1)
})
