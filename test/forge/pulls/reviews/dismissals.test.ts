import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../support/app.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import type { Somebody } from '../../../support/forge/make.ts'
import { pullMakers } from '../../../support/forge/pulls.ts'

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const [ada, bob, cyd] = await app.make.people('ada', 'bob', 'cyd')
const { on, repository, admit, propose } = pullMakers(app, ada)

const REVIEW = '/api/v1/repos/{owner}/{repo}/pulls/{index}/reviews/{id}'
const DISMISS = `POST ${REVIEW}/dismissals`
const UNDISMISS = `POST ${REVIEW}/undismissals`

/** A pull request of cyd that bob has rejected and then approved. */
async function reviewed() {
  const repo = await repository()
  await admit(repo, bob)
  const { number: index } = await propose(repo, 'topic', { as: cyd })
  const review = async (body: object) => {
    const { body: made } = await on(repo)('POST /pulls/{index}/reviews', { index }, { as: bob, body })
    return made.id as number
  }
  const rejected = await review({ event: 'REQUEST_CHANGES', body: 'No' })
  const approved = await review({ event: 'APPROVED' })
  const dismiss = (id: number, as: Somebody, body: object = {}) =>
    on(repo)('POST /pulls/{index}/reviews/{id}/dismissals', { index, id }, { as, body })
  const undismiss = (id: number, as: Somebody = ada) =>
    on(repo)('POST /pulls/{index}/reviews/{id}/undismissals', { index, id }, { as })
  const dismissed = async () =>
    (await on(repo)('GET /pulls/{index}/reviews', { index })).body.map(
      (each: { dismissed: boolean }) => each.dismissed,
    )
  return { repo, index, review, rejected, approved, dismiss, undismiss, dismissed }
}

test(`${DISMISS} lets a review not count, and ${UNDISMISS} count again`, async () => {
  const { repo, index, rejected, approved, dismiss, undismiss, dismissed } = await reviewed()
  assert.deepEqual(await dismissed(), [true, false])
  const { status, body } = await dismiss(approved, ada, { message: 'Read it again' })
  assert.deepEqual([status, body.dismissed, body.state], [200, true, 'APPROVED'])
  assert.equal((await dismiss(approved, ada)).status, 200)
  const timeline = await on(repo)('GET /issues/{index}/timeline', { index })
  const entries = timeline.body.filter(({ type }: { type: string }) => type === 'dismiss_review')
  assert.deepEqual(
    entries.map((each: { body: string; review_id: number }) => [each.body, each.review_id]),
    [['Read it again', approved]],
  )
  assert.equal((await undismiss(approved)).body.dismissed, false)
  assert.equal((await undismiss(rejected)).body.dismissed, false)
  await dismiss(approved, ada, { priors: true })
  assert.deepEqual(await dismissed(), [true, true])
})

test(`${DISMISS} is for administrators, for decisions, and for open pull requests that are not archived`, async () => {
  const { repo, index, review, approved, dismiss, undismiss } = await reviewed()
  for (const refused of [await dismiss(approved, bob), await undismiss(approved, bob)])
    assert.deepEqual([refused.status, refused.body.message], [403, 'Must be repo admin'])
  for (const missing of [await dismiss(987654, ada), await undismiss(987654)])
    assert.equal(missing.status, 404)
  const comment = await review({ event: 'COMMENT', body: 'By the way' })
  const draft = await review({ body: 'Draft' })
  assert.equal((await dismiss(comment, ada)).status, 403)
  assert.equal((await undismiss(comment)).status, 403)
  assert.equal((await dismiss(draft, ada)).status, 404)
  assert.equal((await dismiss(approved, ada, { priors: 'perhaps' })).status, 422)
  await on(repo)('PATCH /pulls/{index}', { index }, { body: { state: 'closed' } })
  const closed = await dismiss(approved, ada)
  assert.deepEqual(
    [closed.status, closed.body.message],
    [403, "can't dismiss a review associated to a closed or merged PR"],
  )
  await on(repo)('PATCH ', {}, { body: { archived: true } })
  assert.equal((await dismiss(approved, ada)).status, 423)
  assert.equal((await undismiss(approved)).status, 423)
})
