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

const COMMENT = '/api/v1/repos/{owner}/{repo}/pulls/comments/{id}'

/** A pull request of cyd with a comment of dan, who reads, and a draft of his. */
async function discussed() {
  const repo = await repository()
  await admit(repo, bob)
  const { number: index } = await propose(repo, 'topic', { as: cyd })
  const say = async (event: string) => {
    const comments = [{ path: 'topic.txt', body: `Why ${event}?`, new_position: 1 }]
    const { body: made } = await on(repo)(
      'POST /pulls/{index}/reviews',
      { index },
      { as: dan, body: { event, comments } },
    )
    const of = { index, id: made.id }
    const listed = await on(repo)('GET /pulls/{index}/reviews/{id}/comments', of, { as: dan })
    return { review: made.id as number, id: listed.body[0].id as number }
  }
  const said = await say('COMMENT')
  const draft = await say('PENDING')
  const edit = (as: Somebody, id: number, body: unknown = { body: 'Changed' }) =>
    on(repo)('PATCH /pulls/comments/{id}', { id }, { as, body })
  const remove = (as: Somebody, id: number) => on(repo)('DELETE /pulls/comments/{id}', { id }, { as })
  const statusOf = async (review: number) =>
    (await on(repo)('GET /pulls/{index}/reviews/{id}', { index, id: review }, { as: dan })).status
  const messages = async () =>
    (await queuedMessages(pool))
      .filter(({ event, payload }) => event === 'pull_request_comment' && payload.repository.name === repo)
      .map(({ payload }) => [payload.action, payload.comment.body])
  return { repo, index, said, draft, edit, remove, statusOf, messages }
}

test(`PATCH ${COMMENT} is for the author and for those who may write`, async () => {
  const { repo, said, draft, edit, messages } = await discussed()
  const { status, body } = await edit(dan, said.id)
  assert.deepEqual([status, body.body, body.path, body.user.login], [200, 'Changed', 'topic.txt', 'dan'])
  assert.equal((await edit(bob, said.id, { body: 'By bob' })).body.body, 'By bob')
  assert.equal((await edit(bob, said.id, { body: 'By bob' })).status, 200)
  assert.equal((await edit(cyd, said.id)).status, 403)
  assert.equal((await edit(dan, draft.id, { body: 'Secret' })).status, 200)
  assert.deepEqual(await messages(), [
    ['edited', 'Changed'],
    ['edited', 'By bob'],
  ])
  for (const hidden of [await edit(bob, draft.id), await edit(cyd, draft.id), await edit(ada, 987_654)])
    assert.equal(hidden.status, 404)
  for (const wrong of [{}, { body: '' }, { body: 'x'.repeat(65_537) }, { body: 1 }])
    assert.equal((await edit(dan, said.id, wrong)).status, 422)
  await on(repo)('PATCH ', {}, { body: { archived: true } })
  assert.equal((await edit(dan, said.id)).status, 423)
})

test(`DELETE ${COMMENT} deletes with the last comment what says nothing else`, async () => {
  const { repo, index, said, draft, remove, statusOf, messages } = await discussed()
  const reply = await on(repo)(
    'POST /pulls/{index}/comments/{id}/replies',
    { index, id: said.id },
    { as: bob, body: { body: 'So' } },
  )
  assert.equal((await remove(cyd, said.id)).status, 403)
  assert.equal((await remove(bob, draft.id)).status, 404)
  assert.equal((await remove(dan, said.id)).status, 204)
  assert.equal((await remove(dan, said.id)).status, 404)
  assert.equal(await statusOf(said.review), 200)
  assert.equal((await remove(bob, reply.body.id)).status, 204)
  assert.equal(await statusOf(said.review), 404)
  const timeline = await on(repo)('GET /issues/{index}/timeline', { index })
  assert.deepEqual(
    timeline.body.filter(({ type }: { type: string }) => type === 'review'),
    [],
  )
  assert.equal((await remove(dan, draft.id)).status, 204)
  assert.equal(await statusOf(draft.review), 404)
  assert.deepEqual(
    (await messages()).filter(([action]) => action === 'deleted'),
    [
      ['deleted', 'Why COMMENT?'],
      ['deleted', 'So'],
    ],
  )
})

test('a draft of comments alone needs no text, and further comments leave its text', async () => {
  const repo = await repository()
  const { number: index } = await propose(repo, 'topic', { as: cyd })
  const add = async (body: object) =>
    (
      await on(repo)(
        'POST /pulls/{index}/reviews',
        { index },
        { as: dan, body: { event: 'PENDING', ...body } },
      )
    ).body
  const comments = [{ path: 'topic.txt', body: 'Why?', new_position: 1 }]
  const { id } = await add({ comments })
  assert.deepEqual([(await add({ body: 'Text' })).body, (await add({ comments })).body], ['Text', 'Text'])
  const { id: same, comments_count } = await add({ comments })
  assert.deepEqual([same, comments_count], [id, 3])
})
