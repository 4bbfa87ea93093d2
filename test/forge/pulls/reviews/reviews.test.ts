import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../support/app.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { queuedMessages } from '../../../support/forge/hook-messages.ts'
import type { Somebody } from '../../../support/forge/make.ts'
import { pullMakers } from '../../../support/forge/pulls.ts'

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const { pool, make, clock } = app
const [ada, bob, cyd] = await make.people('ada', 'bob', 'cyd')
const root = await make.admin({ name: 'root' })
const { on, repository, admit, commit, propose } = pullMakers(app, ada)

const PULL = '/api/v1/repos/{owner}/{repo}/pulls/{index}'
const LIST = `GET ${PULL}/reviews`
const CREATE = `POST ${PULL}/reviews`
const SUBMIT = `POST ${PULL}/reviews/{id}`

const base = Array.from({ length: 9 }, (_, at) => `line ${at + 1}\n`).join('')

/** A repository with a pull request of ada; bob may write to it. */
async function proposed(settings: object = {}) {
  const repo = await repository(settings)
  await admit(repo, bob)
  await commit(repo, 'main', { 'story.txt': base })
  const story = base.replace('line 5\n', 'line five\n').replace('line 8\n', '')
  const pull = await propose(repo, 'topic', { files: { 'story.txt': story } })
  const of = (literal: string, as: Somebody, body?: unknown, id?: number) =>
    on(repo)(literal, { index: pull.number, ...(id && { id }) }, { as, body })
  const review = (as: Somebody, body: object) => of('POST /pulls/{index}/reviews', as, body)
  const states = async (as: Somebody = cyd) =>
    (await of('GET /pulls/{index}/reviews', as)).body.map(({ state }: { state: string }) => state)
  return { repo, ...pull, of, review, states }
}

const refusal = async (answer: ReturnType<Awaited<ReturnType<typeof proposed>>['of']>) => {
  const { status, body } = await answer
  return [status, body.message]
}

test(`${CREATE} reviews with comments on lines, their parts of the difference, and tells about it`, async () => {
  const { repo, number, id, head, review, of } = await proposed()
  const comments = [
    { path: 'story.txt', body: 'Why?', new_position: 5 },
    { path: 'story.txt', body: 'I miss it', old_position: 8 },
    { path: 'README.md', body: 'Not changed', new_position: 1 },
  ]
  const answered = await review(bob, { event: 'REQUEST_CHANGES', body: 'Not yet, @cyd', comments })
  assert.equal(answered.status, 200)
  const { body } = answered
  assert.deepEqual(
    [body.user.login, body.team, body.state, body.body, body.commit_id, body.comments_count],
    ['bob', null, 'REQUEST_CHANGES', 'Not yet, @cyd', head, 3],
  )
  assert.deepEqual([body.stale, body.official, body.dismissed], [false, true, false])
  const page = `https://forgehall.example/ada/${repo}/pulls/${number}`
  assert.equal(body.pull_request_url, page)
  const shown = await of('GET /pulls/{index}/reviews/{id}/comments', cyd, undefined, body.id)
  const [untouched, five, eight] = shown.body
  assert.deepEqual(
    [five.path, five.position, five.original_position, five.commit_id],
    ['story.txt', 5, 0, head],
  )
  assert.equal(five.diff_hunk, '@@ -3,3 +3,3 @@\n line 3\n line 4\n-line 5\n+line five')
  assert.deepEqual([eight.position, eight.original_position], [0, 8])
  assert.equal(eight.diff_hunk, '@@ -6,3 +5,3 @@\n+line five\n line 6\n line 7\n-line 8')
  assert.deepEqual([untouched.path, untouched.resolver], ['README.md', null])
  assert.match(untouched.diff_hunk, /^@@ -1,1 \+1,1 @@\n # /)
  assert.equal(untouched.pull_request_review_id, body.id)
  const pull = await of('GET /pulls/{index}', cyd)
  assert.equal(pull.body.review_comments, 3)
  const timeline = await of('GET /issues/{index}/timeline', cyd)
  const entry = timeline.body.at(-1)
  assert.deepEqual([entry.type, entry.body, entry.review_id], ['review', 'Not yet, @cyd', body.id])
  assert.equal(body.html_url, entry.html_url)
  const [message] = (await queuedMessages(pool)).filter(
    ({ event }) => event === 'pull_request_review_rejected',
  )
  assert.deepEqual(
    [message?.payload.action, message?.payload.review, message?.payload.requested_reviewer.login],
    ['reviewed', { type: 'pull_request_review_rejected', content: 'Not yet, @cyd' }, 'bob'],
  )
  const [activity] = await pool`
    select payload::json ->> 'names' as names from forge.event
    where kind = 'issue.activity' and (payload::json ->> 'issue')::bigint = ${id} order by id desc limit 1`
  assert.equal(activity?.names, '["cyd"]')
})

test(`${CREATE} keeps a draft that only its author sees, and ${SUBMIT} submits it with its comments`, async () => {
  const { review, of, states, head } = await proposed()
  const comments = [{ path: 'story.txt', body: 'One', new_position: 5 }]
  const draft = await review(bob, { event: 'PENDING', body: 'Reading', comments })
  assert.deepEqual([draft.body.state, draft.body.html_url, draft.body.comments_count], ['PENDING', '', 1])
  const more = await review(bob, { body: 'Still reading', comments: [{ ...comments[0], body: 'Two' }] })
  assert.deepEqual([more.body.id, more.body.comments_count], [draft.body.id, 2])
  assert.deepEqual([await states(), await states(bob), await states(root)], [[], ['PENDING'], ['PENDING']])
  const { id } = draft.body
  const look = (as: Somebody) => of('GET /pulls/{index}/reviews/{id}', as, undefined, id)
  assert.deepEqual([(await look(cyd)).status, (await look(root)).status], [404, 200])
  assert.equal((await of('GET /pulls/{index}/reviews/{id}/comments', cyd, undefined, id)).status, 404)
  assert.equal((await of('GET /pulls/{index}', cyd)).body.review_comments, 0)
  const submit = (as: Somebody, body: object) => of('POST /pulls/{index}/reviews/{id}', as, body, id)
  assert.equal((await submit(cyd, { event: 'COMMENT' })).status, 404)
  assert.deepEqual(await refusal(submit(root, { event: 'COMMENT' })), [
    403,
    'only its author can submit a review',
  ])
  assert.deepEqual(await refusal(submit(bob, { event: 'PENDING', body: 'x' })), [422, 'review stay pending'])
  assert.deepEqual(await refusal(submit(bob, { event: 'REQUEST_CHANGES' })), [
    422,
    'review event REQUEST_CHANGES requires a body',
  ])
  clock.tick(60_000)
  const submitted = await submit(bob, { event: 'COMMENT' })
  assert.deepEqual(
    [submitted.body.state, submitted.body.commit_id, submitted.body.comments_count, submitted.body.official],
    ['COMMENT', head, 2, false],
  )
  assert.ok(submitted.body.submitted_at > draft.body.submitted_at)
  assert.deepEqual(await refusal(submit(bob, { event: 'COMMENT' })), [
    422,
    'only a pending review can be submitted',
  ])
  assert.deepEqual(await states(), ['COMMENT'])
  assert.equal((await look(cyd)).status, 200)
})

test(`${CREATE} lets the newest decision of an account count`, async () => {
  const { review, of, states } = await proposed()
  const first = await review(bob, { event: 'REQUEST_CHANGES', body: 'No' })
  const second = await review(bob, { event: 'APPROVED' })
  await review(bob, { event: 'COMMENT', body: 'By the way' })
  assert.deepEqual(await states(), ['REQUEST_CHANGES', 'APPROVED', 'COMMENT'])
  const { body: all } = await of('GET /pulls/{index}/reviews', cyd)
  assert.deepEqual(
    all.map(({ official, dismissed }: { official: boolean; dismissed: boolean }) => [official, dismissed]),
    [
      [false, true],
      [true, false],
      [false, false],
    ],
  )
  const remove = (as: Somebody, id: number) => of('DELETE /pulls/{index}/reviews/{id}', as, undefined, id)
  assert.deepEqual(await refusal(remove(cyd, second.body.id)), [403, 'only its author can delete a review'])
  assert.equal((await remove(root, second.body.id)).status, 204)
  assert.equal((await remove(bob, second.body.id)).status, 404)
  const again = await of('GET /pulls/{index}/reviews/{id}', cyd, undefined, first.body.id)
  assert.deepEqual([again.body.official, again.body.dismissed], [true, true])
  const timeline = await of('GET /issues/{index}/timeline', cyd)
  const reviews = timeline.body.filter(({ type }: { type: string }) => type === 'review')
  assert.deepEqual(
    reviews.map(({ body }: { body: string }) => body),
    ['No', 'By the way'],
  )
})

test(`${CREATE} says whose reviews are official: those of writers, or of the list of the rule`, async () => {
  const { repo, review } = await proposed()
  const official = async (as: Somebody) => (await review(as, { event: 'APPROVED' })).body.official
  assert.deepEqual([await official(bob), await official(cyd), await official(root)], [true, false, true])
  const rule = {
    rule_name: 'main',
    enable_approvals_whitelist: true,
    approvals_whitelist_username: ['ada'],
  }
  assert.equal((await on(repo)('POST /branch_protections', {}, { body: rule })).status, 201)
  assert.deepEqual([await official(bob), await official(root)], [false, false])
})

test(`${CREATE} refuses what says nothing, one's own decisions, and lines that there are not`, async () => {
  const { repo, number, review, of, states, head } = await proposed()
  const own = (event: string) => refusal(review(ada, { event, body: 'Good' }))
  assert.deepEqual(await own('APPROVED'), [422, 'approve your own pull is not allowed'])
  assert.deepEqual(await own('REQUEST_CHANGES'), [422, 'reject your own pull is not allowed'])
  assert.equal((await review(ada, { event: 'COMMENT', body: 'Note' })).status, 200)
  const empty = (event: string) => refusal(review(bob, { event, body: ' ' }))
  assert.deepEqual(await empty('COMMENT'), [422, 'review event COMMENT requires a body or a comment'])
  assert.deepEqual(await empty('PENDING'), [422, 'review event PENDING requires a body'])
  assert.deepEqual(await empty('REQUEST_CHANGES'), [422, 'review event REQUEST_CHANGES requires a body'])
  for (const comment of [
    { path: 'story.txt', new_position: 9 },
    { path: 'story.txt', old_position: 10 },
    { path: 'story.txt', new_position: 2 ** 31 },
    { path: 'story.txt', new_position: -1 },
    { path: 'story.txt' },
    { path: 'nowhere.txt', new_position: 1 },
    { path: '../story.txt', new_position: 1 },
    { path: '', new_position: 1 },
    { path: '.', new_position: 1 },
    { path: 'a\nb', new_position: 1 },
  ]) {
    const comments = [{ body: 'Here', ...comment }]
    assert.equal((await review(bob, { event: 'COMMENT', body: 'x', comments })).status, 422, comment.path)
  }
  const nothing = [{ path: 'story.txt', new_position: 5, body: '' }]
  assert.equal((await review(bob, { event: 'COMMENT', body: 'x', comments: nothing })).status, 422)
  assert.equal((await review(bob, { event: 'COMMENT', body: 'x'.repeat(65_537) })).status, 422)
  const many = Array.from({ length: 201 }, () => ({ path: 'story.txt', new_position: 5, body: 'x' }))
  assert.equal((await review(bob, { event: 'COMMENT', comments: many })).status, 422)
  assert.equal((await review(bob, { event: 'COMMENT', comments: 'none' })).status, 422)
  for (const commit_id of ['f'.repeat(40), 'main', head.slice(0, 3), '--all'])
    assert.equal((await review(bob, { event: 'COMMENT', body: 'x', commit_id })).status, 422)
  assert.equal((await of('GET /pulls/{index}/reviews/{id}', cyd, undefined, 987654)).status, 404)
  const elsewhere = await on(repo)('GET /pulls/{index}/reviews', { index: number + 1 }, { as: cyd })
  assert.equal(elsewhere.status, 404)
  assert.deepEqual(await states(), ['COMMENT'])
})

test(`${CREATE} counts a review of an earlier head as stale only if what is proposed has changed`, async () => {
  const { repo, review, head } = await proposed()
  await commit(repo, 'topic', { 'story.txt': base })
  await commit(repo, 'topic', {
    'story.txt': base.replace('line 5\n', 'line five\n').replace('line 8\n', ''),
  })
  const same = await review(bob, { event: 'APPROVED', commit_id: head })
  assert.deepEqual([same.body.stale, same.body.commit_id], [false, head])
  await commit(repo, 'topic', { 'more.txt': 'more' })
  assert.equal((await review(bob, { event: 'APPROVED', commit_id: head })).body.stale, true)
})

test(`${CREATE} is closed to readers without the code, in locked requests and in archived repositories`, async () => {
  const { repo, number, review, of } = await proposed()
  await on(repo)('PUT /issues/{index}/lock', { index: number }, { body: {} })
  assert.equal((await review(cyd, { event: 'COMMENT', body: 'x' })).status, 403)
  assert.equal((await review(bob, { event: 'COMMENT', body: 'x' })).status, 200)
  await on(repo)('PATCH /pulls/{index}', { index: number }, { body: { state: 'closed' } })
  assert.deepEqual(await refusal(review(bob, { event: 'APPROVED' })), [
    422,
    "can't submit review for a closed or merged PR",
  ])
  const later = await review(bob, { event: 'COMMENT', body: 'Later' })
  assert.equal(later.status, 200)
  await on(repo)('PATCH ', {}, { body: { archived: true } })
  assert.equal((await review(bob, { event: 'COMMENT', body: 'x' })).status, 423)
  const onReview = (method: string, body?: object) =>
    of(`${method} /pulls/{index}/reviews/{id}`, bob, body, later.body.id)
  assert.equal((await onReview('POST', { event: 'COMMENT', body: 'x' })).status, 423)
  assert.equal((await onReview('DELETE')).status, 423)
  await on(repo)('PATCH ', {}, { body: { archived: false, private: true } })
  assert.equal((await review(cyd, { event: 'COMMENT', body: 'x' })).status, 404)
  assert.equal((await of('GET /pulls/{index}/reviews', cyd)).status, 404)
})

test(`${CREATE} of one account at once begins one draft, and its decisions supersede each other`, async () => {
  const { review, states, id } = await proposed()
  const drafts = await Promise.all(
    [1, 2, 3].map((n) =>
      review(bob, { body: `Draft ${n}`, comments: [{ path: 'story.txt', body: 'x', new_position: n }] }),
    ),
  )
  assert.deepEqual(new Set(drafts.map(({ status, body }) => `${status} ${body.id}`)).size, 1)
  assert.deepEqual(await states(bob), ['PENDING'])
  await Promise.all([
    review(bob, { event: 'APPROVED' }),
    review(bob, { event: 'REQUEST_CHANGES', body: 'No' }),
    review(bob, { event: 'APPROVED', body: 'Yes' }),
  ])
  const [row] = await pool`
    select count(*) filter (where not is_dismissed) as counting, count(*) as all,
      (select count(*) from forge.review_comment where issue_id = ${id}) as comments
    from forge.review where issue_id = ${id}`
  assert.deepEqual({ ...row }, { counting: 1, all: 3, comments: 3 })
})

test(`${LIST} has pages`, async () => {
  const { review, of } = await proposed()
  for (const body of ['one', 'two', 'three']) await review(cyd, { event: 'COMMENT', body })
  const { headers } = await of('GET /pulls/{index}/reviews', cyd)
  assert.equal(headers.get('x-total-count'), '3')
})
