import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../support/app.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import type { Somebody } from '../../../support/forge/make.ts'
import { pullMakers } from '../../../support/forge/pulls.ts'

/** What reviews decide about a merge, under each member of a rule of protected branches. */

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const { pool } = app
const [ada, bob, cyd, dan] = await app.make.people('ada', 'bob', 'cyd', 'dan')
const { on, repository, admit, commit, propose, protect } = pullMakers(app, ada)

const MERGE = 'POST /api/v1/repos/{owner}/{repo}/pulls/{index}/merge'
const text = Array.from({ length: 9 }, (_, at) => `line ${at + 1}\n`).join('')
const changed = text.replace('line 5\n', 'line five\n')

/** A pull request of cyd under a rule; bob and dan may write to the code. */
async function ruled(rule: object) {
  const repo = await repository()
  for (const each of [bob, dan]) await admit(repo, each)
  await commit(repo, 'main', { 'story.txt': text })
  await protect(repo, rule)
  const { number: index, id } = await propose(repo, 'topic', { as: cyd, files: { 'story.txt': changed } })
  const review = async (as: Somebody, event: string, more: object = {}) => {
    const body = { event, body: 'Read', ...more }
    const answered = await on(repo)('POST /pulls/{index}/reviews', { index }, { as, body })
    assert.equal(answered.status, 200, JSON.stringify(answered.body))
    return answered.body.id as number
  }
  /** The reason against a merge; undefined: it was merged. */
  const refusal = async (as = bob) => {
    const { body } = await on(repo)('POST /pulls/{index}/merge', { index }, { as, body: { Do: 'merge' } })
    return body?.message as string | undefined
  }
  const reviews = async () =>
    (await on(repo)('GET /pulls/{index}/reviews', { index })).body.map(
      ({ stale, dismissed }: { stale: boolean; dismissed: boolean }) => ({ stale, dismissed }),
    )
  const act = (path: string, id: number, body?: object) =>
    on(repo)(`POST /pulls/{index}/reviews/{id}/${path}`, { index, id }, body && { body })
  return { repo, index, id, review, refusal, reviews, act }
}

const few = 'Does not have enough approvals'

test(`${MERGE} counts official approvals of different accounts: required_approvals`, async () => {
  const { review, refusal, act } = await ruled({ required_approvals: 2 })
  assert.equal(await refusal(), few)
  await review(ada, 'APPROVED')
  await review(ada, 'APPROVED')
  await review(dan, 'COMMENT')
  assert.equal(await refusal(), few)
  const second = await review(dan, 'APPROVED')
  await act('dismissals', second, { message: 'No' })
  assert.equal(await refusal(), few)
  await act('undismissals', second)
  assert.equal(await refusal(), undefined)
})

test(`${MERGE} counts approvals of the list alone: enable_approvals_whitelist`, async () => {
  const { review, refusal } = await ruled({
    required_approvals: 1,
    enable_approvals_whitelist: true,
    approvals_whitelist_username: ['dan'],
  })
  await review(ada, 'APPROVED')
  assert.equal(await refusal(), few)
  await review(dan, 'APPROVED')
  assert.equal(await refusal(), undefined)
})

test(`${MERGE} waits for those who request changes: block_on_rejected_reviews`, async () => {
  const { review, refusal } = await ruled({ block_on_rejected_reviews: true })
  await review(dan, 'REQUEST_CHANGES')
  assert.equal(await refusal(), 'There are requested changes')
  await review(dan, 'COMMENT')
  assert.equal(await refusal(), 'There are requested changes')
  await review(dan, 'APPROVED')
  assert.equal(await refusal(), undefined)
})

test(`${MERGE} waits for those who are asked: block_on_official_review_requests`, async () => {
  const { repo, index, review, refusal } = await ruled({ block_on_official_review_requests: true })
  const asked = { body: { reviewers: ['dan'] } }
  await on(repo)('POST /pulls/{index}/requested_reviewers', { index }, asked)
  assert.equal(await refusal(), 'There are official review requests')
  await review(dan, 'COMMENT')
  assert.equal(await refusal(), undefined)
})

test(`${MERGE} does not count approvals of an earlier head: ignore_stale_approvals`, async () => {
  const { repo, review, refusal, reviews } = await ruled({
    required_approvals: 1,
    ignore_stale_approvals: true,
  })
  await review(dan, 'APPROVED')
  await commit(repo, 'topic', { 'more.txt': 'more' })
  assert.deepEqual(await reviews(), [{ stale: true, dismissed: false }])
  assert.equal(await refusal(), few)
  await review(dan, 'APPROVED')
  assert.equal(await refusal(), undefined)
})

test(`${MERGE} needs new approvals after a push: dismiss_stale_approvals`, async () => {
  const { repo, index, review, refusal, reviews } = await ruled({
    required_approvals: 1,
    dismiss_stale_approvals: true,
  })
  const approval = await review(dan, 'APPROVED')
  await review(ada, 'REQUEST_CHANGES')
  await commit(repo, 'topic', { 'more.txt': 'more' })
  assert.deepEqual(await reviews(), [
    { stale: true, dismissed: true },
    { stale: true, dismissed: false },
  ])
  assert.equal(await refusal(), few)
  const timeline = await on(repo)('GET /issues/{index}/timeline', { index })
  const entry = timeline.body.find(({ type }: { type: string }) => type === 'dismiss_review')
  assert.equal(entry.review_id, approval)
  assert.match(entry.body, /^New commits pushed/)
})

test(`${MERGE} counts approvals as before a push that brings the base branch in`, async () => {
  const { repo, index, review, refusal, reviews } = await ruled({
    required_approvals: 1,
    dismiss_stale_approvals: true,
    ignore_stale_approvals: true,
  })
  await review(dan, 'APPROVED')
  await commit(repo, 'main', { 'story.txt': `line 0\n${text}`, 'other.txt': 'other' })
  const update = { as: bob, query: { style: 'rebase' } }
  assert.equal((await on(repo)('POST /pulls/{index}/update', { index }, update)).status, 200)
  assert.deepEqual(await reviews(), [{ stale: false, dismissed: false }])
  assert.equal(await refusal(), undefined)
})

test('a push makes comments on lines outdated that it changes or removes, and no others', async () => {
  const { repo, id, review } = await ruled({})
  const comments = [1, 5, 9].map((new_position) => ({ path: 'story.txt', body: 'Here', new_position }))
  await review(dan, 'COMMENT', {
    comments: [...comments, { path: 'story.txt', body: 'Gone', old_position: 5 }],
  })
  const outdated = async () => {
    const rows = await pool`
      select line from forge.review_comment where issue_id = ${id} and is_outdated order by line`
    return rows.map(({ line }) => line)
  }
  await commit(repo, 'topic', { 'story.txt': `line 0\n${changed}` })
  assert.deepEqual(await outdated(), [])
  await commit(repo, 'topic', { 'story.txt': `line 0\n${text}` })
  assert.deepEqual(await outdated(), [5])
  await commit(repo, 'topic', { 'story.txt': 'line 1\n' })
  assert.deepEqual(await outdated(), [5, 9])
})
