import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../support/app.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { queuedMessages } from '../../../support/forge/hook-messages.ts'
import type { Somebody } from '../../../support/forge/make.ts'
import { pullMakers } from '../../../support/forge/pulls.ts'

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const { call, make, pool } = app
const [ada, bob, cyd, dan] = await make.people('ada', 'bob', 'cyd', 'dan')
const { on, repository, admit, propose } = pullMakers(app, ada)

const ASKED = '/api/v1/repos/{owner}/{repo}/pulls/{index}/requested_reviewers'
const ASK = `POST ${ASKED}`
const WITHDRAW = `DELETE ${ASKED}`

interface Given {
  as?: Somebody
  place?: string
}

/** Who is asked for a review of a pull request. */
const namesOf = ({ requested_reviewers }: { requested_reviewers: { login: string }[] }) =>
  requested_reviewers.map(({ login }) => login)

/** A pull request of cyd in a repository of ada, to which bob may write. */
async function proposed(settings: object = {}) {
  const repo = await repository(settings)
  await admit(repo, bob)
  const { number: index, id } = await propose(repo, 'topic', { as: cyd })
  const send =
    (method: 'POST' | 'DELETE') =>
    (body: object, { as = ada, place = 'ada' }: Given = {}) =>
      on(repo, place)(`${method} /pulls/{index}/requested_reviewers`, { index }, { as, body })
  const asked = async () => {
    const { body } = await on(repo)('GET /pulls/{index}', { index })
    return namesOf(body)
  }
  const review = (as: Somebody, body: object) =>
    on(repo)('POST /pulls/{index}/reviews', { index }, { as, body })
  return { repo, index, id, ask: send('POST'), withdraw: send('DELETE'), asked, review }
}

const refusal = async (answer: Promise<{ status: number; body: { message: string } }>) => {
  const { status, body } = await answer
  return [status, body.message]
}

test('DELETE /pulls/{index}/reviews/{id} deletes no request, which is withdrawn', async () => {
  const { repo, index, ask } = await proposed()
  const [{ id }] = (await ask({ reviewers: ['bob'] })).body
  const deleted = await on(repo)('DELETE /pulls/{index}/reviews/{id}', { index, id }, { as: bob })
  assert.deepEqual(
    [deleted.status, deleted.body.message],
    [422, 'a request is withdrawn at …/requested_reviewers'],
  )
})

test('POST /pulls asks whom it names for a review, all or none, and opens nothing if it cannot', async () => {
  const { repo } = await proposed()
  const open = async (head: string, body: object) => {
    await on(repo)(
      'POST /contents/{filepath...}',
      { filepath: `${head}.txt` },
      {
        body: { content: '', branch: 'main', new_branch: head },
      },
    )
    return on(repo)('POST /pulls', {}, { as: cyd, body: { title: head, head, base: 'main', ...body } })
  }
  const { status, body } = await open('asked', { reviewers: ['bob', 'Dan', 'bob'], team_reviewers: [] })
  assert.equal(status, 201)
  assert.deepEqual(namesOf(body), ['bob', 'dan'])
  const messages = (await queuedMessages(pool)).filter(({ payload }) => payload.pull_request?.id === body.id)
  assert.deepEqual(
    messages.map(({ event, payload }) => [event, payload.action, namesOf(payload.pull_request)]),
    [
      ['pull_request_review_request', 'review_requested', ['bob']],
      ['pull_request_review_request', 'review_requested', ['bob', 'dan']],
      ['pull_request', 'opened', ['bob', 'dan']],
    ],
  )
  for (const [head, names, refused] of [
    ['unknown', { reviewers: ['bob', 'nobody'] }, 404],
    ['no-team', { team_reviewers: ['nobody'] }, 404],
    ['poster', { reviewers: ['bob', 'cyd'] }, 422],
    ['many', { reviewers: Array.from({ length: 101 }, (_, at) => `n${at}`) }, 422],
  ] as const)
    assert.equal((await open(head, names)).status, refused, head)
  const titles = (await on(repo)('GET /pulls', {})).body.map(({ title }: { title: string }) => title)
  assert.deepEqual(titles, ['asked', 'Add topic'])
})

test(`${ASK} asks users, tells them, and a review answers; ${WITHDRAW} takes it back`, async () => {
  const { repo, index, id, ask, withdraw, asked, review } = await proposed()
  const { status, body } = await ask({ reviewers: ['bob', 'Dan', 'bob'] })
  assert.equal(status, 201)
  assert.deepEqual(
    body.map((each: { user: { login: string }; state: string; official: boolean; html_url: string }) => [
      each.user.login,
      each.state,
      each.official,
      each.html_url,
    ]),
    [
      ['bob', 'REQUEST_REVIEW', true, ''],
      ['dan', 'REQUEST_REVIEW', false, ''],
    ],
  )
  assert.deepEqual((await ask({ reviewers: ['bob'] })).body, [])
  assert.deepEqual(await asked(), ['bob', 'dan'])
  const mine = await call('GET /api/v1/repos/issues/search', {
    as: bob,
    query: { type: 'pulls', review_requested: 'true' },
  })
  assert.ok(mine.body.some((each: { id: number }) => each.id === id))
  assert.equal((await withdraw({ reviewers: ['dan', 'cyd'] })).status, 204)
  await review(bob, { event: 'COMMENT', body: 'Read' })
  assert.deepEqual(await asked(), [])
  const timeline = await on(repo)('GET /issues/{index}/timeline', { index })
  const entries = timeline.body.filter(({ type }: { type: string }) => type === 'review_request')
  assert.deepEqual(
    entries.map((each: { assignee: { login: string }; removed_assignee: boolean }) => [
      each.assignee.login,
      each.removed_assignee,
    ]),
    [
      ['bob', false],
      ['dan', false],
      ['dan', true],
    ],
  )
  const messages = (await queuedMessages(pool)).filter(
    ({ event, payload }) => event === 'pull_request_review_request' && payload.pull_request.id === id,
  )
  assert.deepEqual(
    messages.map(({ payload }) => [payload.action, payload.requested_reviewer.login]),
    [
      ['review_requested', 'bob'],
      ['review_requested', 'dan'],
      ['review_request_removed', 'dan'],
    ],
  )
  const told = await pool`
    select payload::json -> 'accounts' as accounts from forge.event
    where kind = 'issue.activity' and (payload::json ->> 'issue')::bigint = ${id}
      and payload::json ->> 'audience' = 'false' order by id`
  assert.deepEqual(
    told.map(({ accounts }) => accounts),
    [[bob.id], [dan.id]],
  )
})

test(`${ASK} again lets an approval not count until it is withdrawn`, async () => {
  const { repo, index, ask, withdraw, review } = await proposed()
  const { body } = await review(bob, { event: 'APPROVED' })
  const official = async () =>
    (await on(repo)('GET /pulls/{index}/reviews/{id}', { index, id: body.id })).body.official
  assert.equal(await official(), true)
  assert.equal((await ask({ reviewers: ['bob'] }, { as: cyd })).status, 201)
  assert.equal(await official(), false)
  assert.equal((await withdraw({ reviewers: ['bob'] }, { as: bob })).status, 204)
  assert.equal(await official(), true)
})

test(`${ASK} refuses who cannot review, who may not ask, and unknown names; then nobody is asked`, async () => {
  const { repo, index, ask, withdraw, asked } = await proposed()
  const { body: row } = await on(repo)('GET ')
  await make.organization(ada, { name: 'guild' })
  const hidden = await make.person({ name: 'hidden', visibility: 'private' })
  const no = (body: object, given?: Given) => refusal(ask(body, given))
  assert.deepEqual(await no({ reviewers: ['bob', 'cyd'] }), [
    422,
    `poster of pr can't be reviewer [user_id: ${cyd.id}, repo_id: ${row.id}]`,
  ])
  assert.match(String(await no({ reviewers: ['guild'] })), /^422,Organization can't be added as reviewer/)
  assert.deepEqual(await no({ reviewers: ['bob', 'nobody'] }), [404, "User 'nobody' not exist"])
  assert.deepEqual(await no({ reviewers: [hidden.name] }), [404, "User 'hidden' not exist"])
  assert.deepEqual(await no({ team_reviewers: ['builders'] }), [404, "Team 'builders' not exist"])
  assert.match(String(await no({ reviewers: ['bob'] }, { as: dan })), /^422,Doer can't choose reviewer/)
  assert.match(String(await refusal(withdraw({ reviewers: ['bob'] }, { as: dan }))), /^422,Doer can't remove/)
  assert.deepEqual(await refusal(withdraw({ reviewers: ['nobody'] })), [404, "User 'nobody' not exist"])
  const many = Array.from({ length: 101 }, (_, at) => `user${at}`)
  assert.equal((await ask({ reviewers: many })).status, 422)
  assert.equal((await ask({ reviewers: 'bob' })).status, 422)
  assert.deepEqual(await asked(), [])
  const elsewhere = { index: index + 1 }
  for (const method of ['POST', 'DELETE'])
    assert.equal(
      (await on(repo)(`${method} /pulls/{index}/requested_reviewers`, elsewhere, { body: {} })).status,
      404,
    )
  await on(repo)('PATCH ', {}, { body: { private: true } })
  assert.match(String(await no({ reviewers: ['dan'] })), /^422,Reviewer can't read/)
  await ask({ reviewers: ['bob'] })
  await on(repo)('PATCH /pulls/{index}', { index }, { body: { state: 'closed' } })
  assert.deepEqual(await no({ reviewers: ['ada'] }), [
    403,
    'cannot request a re-review on a closed or merged PR',
  ])
  await on(repo)('PATCH ', {}, { body: { archived: true } })
  assert.equal((await ask({ reviewers: ['bob'] })).status, 423)
  assert.equal((await withdraw({ reviewers: ['bob'] })).status, 423)
})

test(`${ASK} of several callers at once asks once`, async () => {
  const { ask, asked } = await proposed()
  const answers = await Promise.all([1, 2, 3].map(() => ask({ reviewers: ['bob'] })))
  assert.deepEqual(answers.map(({ body }) => body.length).sort(), [0, 0, 1])
  assert.deepEqual(await asked(), ['bob'])
})

test(`${ASK} asks teams, which a decision of a member answers`, async () => {
  const guild = await make.organization(ada, { name: 'workshop' })
  const made = await call('POST /api/v1/orgs/{org}/repos', {
    as: ada,
    params: { org: guild.name },
    body: { name: 'engine', auto_init: true, private: true },
  })
  assert.equal(made.status, 201)
  const inRepo = on('engine', guild.name)
  const team = async (name: string, units: Record<string, string>, member: Somebody) => {
    const { body } = await call('POST /api/v1/orgs/{org}/teams', {
      as: ada,
      params: { org: guild.name },
      body: { name, permission: 'read', units_map: units },
    })
    await call('PUT /api/v1/teams/{id}/members/{username}', {
      as: ada,
      params: { id: body.id, username: member.name },
    })
    return body.id as number
  }
  const readers = await team('readers', { 'repo.code': 'write', 'repo.pulls': 'read' }, bob)
  await team('others', { 'repo.code': 'read' }, dan)
  await call('PUT /api/v1/teams/{id}/repos/{org}/{repo}', {
    as: ada,
    params: { id: readers, org: guild.name, repo: 'engine' },
  })
  const file = { content: Buffer.from('x').toString('base64'), branch: 'main', new_branch: 'topic' }
  await inRepo('POST /contents/{filepath...}', { filepath: 'a.txt' }, { body: file })
  const { body: pull } = await inRepo(
    'POST /pulls',
    {},
    { body: { head: 'topic', base: 'main', title: 'Add a' } },
  )
  const index = pull.number
  const path = '/pulls/{index}/requested_reviewers'
  const { status, body } = await inRepo(`POST ${path}`, { index }, { body: { team_reviewers: ['Readers'] } })
  assert.equal(status, 201)
  assert.deepEqual([body[0].user, body[0].team.name, body[0].official], [null, 'readers', true])
  const others = await inRepo(`POST ${path}`, { index }, { body: { team_reviewers: ['others'] } })
  assert.match(others.body.message, /^Reviewing team can't read repo/)
  const teams = async () => (await inRepo('GET /pulls/{index}', { index })).body.requested_reviewers_teams
  assert.deepEqual(
    (await teams()).map(({ name }: { name: string }) => name),
    ['readers'],
  )
  await inRepo(`DELETE ${path}`, { index }, { body: { team_reviewers: ['readers'] } })
  await inRepo(`POST ${path}`, { index }, { body: { team_reviewers: ['readers'] } })
  const timeline = await inRepo('GET /issues/{index}/timeline', { index })
  const entry = timeline.body.at(-1)
  assert.deepEqual(
    [entry.type, entry.assignee, entry.assignee_team.name],
    ['review_request', null, 'readers'],
  )
  const comment = { event: 'COMMENT', body: 'Read' }
  await inRepo('POST /pulls/{index}/reviews', { index }, { as: bob, body: comment })
  assert.equal((await teams()).length, 1)
  await inRepo('POST /pulls/{index}/reviews', { index }, { as: bob, body: { event: 'APPROVED' } })
  assert.deepEqual(await teams(), [])
})
