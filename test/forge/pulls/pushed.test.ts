import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { queuedMessages } from '../../support/forge/hook-messages.ts'
import { pullMakers } from '../../support/forge/pulls.ts'

/** What pushes, and changes of branches by the API, which are pushes too, do to pull requests. */

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const { pool } = app
const [ada, eve] = await app.make.people('ada', 'eve')
const { on, repository, commit, propose, protect } = pullMakers(app, ada)

const BRANCH = '/api/v1/repos/{owner}/{repo}/branches/{branch...}'

const opened = async (repo: string, body: { head: string; base: string }, as = ada) => {
  const answered = await on(repo)('POST /pulls', {}, { as, body: { title: 'Propose', ...body } })
  assert.equal(answered.status, 201, JSON.stringify(answered.body))
  return answered.body.number as number
}
const look = async (repo: string, index: number) => (await on(repo)('GET /pulls/{index}', { index })).body
const move = async (repo: string, branch: string, new_commit_id: string) => {
  const of = { branch: branch }
  const answered = await on(repo)('PUT /branches/{branch...}', of, { body: { new_commit_id } })
  assert.equal(answered.status, 204, JSON.stringify(answered.body))
}
const timeline = async (repo: string, index: number) =>
  (await on(repo)('GET /issues/{index}/timeline', { index })).body.map(({ type }: { type: string }) => type)

/** Pull requests for `one` and `two`; `two` contains `one` by a merge. */
async function stacked(settings: object) {
  const repo = await repository()
  await on(repo)('PATCH ', {}, { body: settings })
  const one = await propose(repo, 'one')
  const two = await propose(repo, 'two')
  const inner = await opened(repo, { head: 'one', base: 'two' })
  await on(repo)('POST /pulls/{index}/merge', { index: inner }, { body: { Do: 'merge' } })
  const { sha: tip } = (await look(repo, two.number)).head
  return { repo, one, two, tip }
}

test(`PUT ${BRANCH} merges the pull requests whose heads it brings, if the repository detects that`, async () => {
  const { repo, one, two, tip } = await stacked({ autodetect_manual_merge: true })
  const third = await propose(repo, 'three')
  await move(repo, 'main', tip)
  const [first, second] = [await look(repo, one.number), await look(repo, two.number)]
  assert.deepEqual([first.merged, first.merge_commit_sha, first.state], [true, tip, 'closed'])
  assert.deepEqual([second.merged, second.merge_commit_sha, second.merged_by.login], [true, tip, 'ada'])
  assert.equal((await look(repo, third.number)).merged, false)
  assert.ok((await timeline(repo, one.number)).includes('merge_pull'))
  const closed = (await queuedMessages(pool)).filter(
    ({ event, payload }) =>
      event === 'pull_request' && payload.action === 'closed' && payload.repository.name === repo,
  )
  assert.deepEqual(
    closed.map(({ payload }) => [payload.number, payload.pull_request.merged]).toSorted(),
    [
      [one.number, true],
      [two.number, true],
      [third.number - 1, true],
    ].toSorted(),
  )
})

test(`PUT ${BRANCH} leaves pull requests open otherwise, and merges of the API keep their style`, async () => {
  const { repo, one, tip } = await stacked({ autodetect_manual_merge: false })
  await move(repo, 'main', tip)
  assert.deepEqual(
    [(await look(repo, one.number)).merged, (await look(repo, one.number)).state],
    [false, 'open'],
  )
  await on(repo)('PATCH ', {}, { body: { autodetect_manual_merge: true } })
  const { number, id } = await propose(repo, 'four')
  await on(repo)('POST /pulls/{index}/merge', { index: number }, { body: { Do: 'merge' } })
  const [row] = await pool`select merge_style from forge.pull_request where issue_id = ${id}`
  assert.equal(row?.merge_style, 'merge')
})

test(`DELETE ${BRANCH} closes the pull requests that propose it or something for it`, async () => {
  const repo = await repository()
  const one = await propose(repo, 'one')
  await commit(repo, 'next', { 'next.txt': 'x' }, { isNew: true })
  const next = await opened(repo, { head: 'one', base: 'next' })
  const other = await propose(repo, 'other')
  const remove = (branch: string) => on(repo)('DELETE /branches/{branch...}', { branch: branch })
  assert.equal((await remove('next')).status, 204)
  assert.deepEqual([(await look(repo, next)).state, (await look(repo, one.number)).state], ['closed', 'open'])
  assert.equal((await remove('one')).status, 204)
  const closed = await look(repo, one.number)
  assert.deepEqual(
    [closed.state, closed.merged, closed.head.ref],
    ['closed', false, `refs/pull/${one.number}/head`],
  )
  assert.deepEqual((await timeline(repo, one.number)).slice(-2), ['delete_branch', 'close'])
  assert.equal((await look(repo, other.number)).state, 'open')
  const home = await on(repo)('GET ')
  assert.equal(home.body.open_pr_counter, 1)
})

test(`PATCH ${BRANCH} renames a branch in open pull requests`, async () => {
  const repo = await repository()
  const params = { owner: 'ada', repo }
  assert.equal((await on(repo)('POST /forks', {}, { as: eve, body: {} })).status, 202)
  const one = await propose(repo, 'one')
  const upstream = await app.call('POST /api/v1/repos/{owner}/{repo}/pulls', {
    as: eve,
    params: { ...params, owner: 'eve' },
    body: { title: 'Fetch', head: 'ada:one', base: 'main' },
  })
  assert.equal(upstream.status, 201)
  const rename = (from: string, name: string) =>
    on(repo)('PATCH /branches/{branch...}', { branch: from }, { body: { name } })
  assert.equal((await rename('one', 'uno')).status, 204)
  assert.equal((await rename('main', 'trunk')).status, 204)
  const followed = await look(repo, one.number)
  assert.deepEqual([followed.state, followed.head.ref, followed.base.ref], ['open', 'uno', 'trunk'])
  const [row] =
    await pool`select head_branch, base_branch, is_open from forge.pull_request where issue_id = ${upstream.body.id}`
  assert.deepEqual({ ...row }, { head_branch: 'uno', base_branch: 'main', is_open: true })
  await commit(repo, 'uno', { 'more.txt': 'x' })
  assert.equal((await look(repo, one.number)).changed_files, 2)
  assert.equal(
    (await on(repo)('POST /pulls/{index}/merge', { index: one.number }, { body: { Do: 'merge' } })).status,
    200,
  )
})

test(`PATCH ${BRANCH} that is refused leaves pull requests as they are`, async () => {
  const repo = await repository()
  const one = await propose(repo, 'one')
  await protect(repo, { rule_name: 'locked', enable_push: false })
  const answered = await on(repo)(
    'PATCH /branches/{branch...}',
    { branch: 'one' },
    { body: { name: 'locked' } },
  )
  assert.equal(answered.status, 403)
  const { head, state } = await look(repo, one.number)
  assert.deepEqual([head.ref, state], ['one', 'open'])
})

for (const [literal, path] of [
  ['PATCH /api/v1/repos/{owner}/{repo}/pulls/{index}', 'PATCH /pulls/{index}'],
  ['PATCH /api/v1/repos/{owner}/{repo}/issues/{index}', 'PATCH /issues/{index}'],
] as const)
  test(`${literal} that opens a pull request again brings what was pushed meanwhile`, async () => {
    const repo = await repository()
    const { number } = await propose(repo, 'one')
    const turn = (state: string) => on(repo)(path, { index: number }, { body: { state } })
    await turn('closed')
    const later = await commit(repo, 'one', { 'later.txt': 'x' })
    assert.notEqual((await look(repo, number)).head.sha, later)
    assert.equal((await turn('open')).status, 201)
    const again = await look(repo, number)
    assert.deepEqual([again.head.sha, again.changed_files], [later, 2])
    assert.deepEqual((await timeline(repo, number)).slice(-2), ['reopen', 'pull_push'])
  })
