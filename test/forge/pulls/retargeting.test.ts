import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { queuedMessages } from '../../support/forge/hook-messages.ts'
import { pullMakers } from '../../support/forge/pulls.ts'

/** Pull requests for a branch that is itself proposed: they follow it when it is merged and deleted. */

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const { pool } = app
const [ada, bob] = await app.make.people('ada', 'bob')
const { on, repository, admit, commit, propose, protect } = pullMakers(app, ada)

const MERGE = 'POST /api/v1/repos/{owner}/{repo}/pulls/{index}/merge'
const REMOVE = 'DELETE /api/v1/repos/{owner}/{repo}/branches/{branch...}'
const EDIT = 'PATCH /api/v1/repos/{owner}/{repo}/pulls/{index}'

const open = async (repo: string, body: { head: string; base: string }): Promise<number> => {
  const opened = await on(repo)('POST /pulls', {}, { body: { title: `Propose ${body.head}`, ...body } })
  assert.equal(opened.status, 201, JSON.stringify(opened.body))
  return opened.body.number
}
const look = async (repo: string, index: number) => (await on(repo)('GET /pulls/{index}', { index })).body
const standing = async (repo: string, index: number) => {
  const { state, base } = await look(repo, index)
  return [state, base.ref]
}
const merge = async (repo: string, index: number, body: object) => {
  const merged = await on(repo)('POST /pulls/{index}/merge', { index }, { body: { Do: 'merge', ...body } })
  assert.equal(merged.status, 200, JSON.stringify(merged.body))
}
const remove = async (repo: string, branch: string) =>
  assert.equal((await on(repo)('DELETE /branches/{branch...}', { branch })).status, 204)

/** A branch with one commit on top of another branch, and a pull request for it there; gives its number. */
async function stack(repo: string, branch: string, base: string): Promise<number> {
  const body = { new_branch_name: branch, old_branch_name: base }
  assert.equal((await on(repo)('POST /branches', {}, { body })).status, 201)
  await commit(repo, branch, { [`${branch}.txt`]: 'x\n' })
  return open(repo, { head: branch, base })
}

for (const style of ['merge', 'squash'])
  test(`${MERGE} by ${style} with its branch deleted gives those for the branch its base branch`, async () => {
    const repo = await repository()
    const { number: one } = await propose(repo, 'one')
    const two = await stack(repo, 'two', 'one')
    const three = await stack(repo, 'three', 'two')
    await merge(repo, one, { Do: style, delete_branch_after_merge: true })
    const followed = await look(repo, two)
    assert.deepEqual(
      [followed.state, followed.base.ref, followed.mergeable, followed.head.ref],
      ['open', 'main', true, 'two'],
    )
    assert.equal(followed.changed_files, style === 'merge' ? 1 : 2, 'a squashed commit is not among its own')
    assert.deepEqual(await standing(repo, three), ['open', 'two'])
    const { body: entries } = await on(repo)('GET /issues/{index}/timeline', { index: two })
    const { type, old_ref, new_ref } = entries.at(-1)
    assert.deepEqual([type, old_ref, new_ref], ['change_target_branch', 'one', 'main'])
    const told = (await queuedMessages(pool)).filter(
      ({ payload }) => payload.repository?.name === repo && payload.changes?.ref,
    )
    assert.deepEqual(
      told.map(({ event, payload }) => [event, payload.action, payload.number, payload.changes.ref.from]),
      [['pull_request', 'edited', two, 'one']],
    )
    await merge(repo, two, {})
    assert.equal((await on(repo)('GET ')).body.open_pr_counter, 1)
  })

test(`${MERGE} keeps a branch that another open pull request proposes`, async () => {
  const repo = await repository()
  const { number } = await propose(repo, 'one')
  await commit(repo, 'next', { 'next.txt': 'x' }, { isNew: true })
  const other = await open(repo, { head: 'one', base: 'next' })
  await merge(repo, number, { delete_branch_after_merge: true })
  assert.deepEqual(await standing(repo, other), ['open', 'next'])
  await merge(repo, other, { delete_branch_after_merge: true })
  assert.equal((await on(repo)('GET /branches/{branch...}', { branch: 'one' })).status, 404)
})

test(`${REMOVE} gives those for a merged branch the next base branch that is still there`, async () => {
  const repo = await repository()
  const { number: one } = await propose(repo, 'one')
  const two = await stack(repo, 'two', 'one')
  const three = await stack(repo, 'three', 'two')
  await merge(repo, two, {})
  await merge(repo, one, {})
  await remove(repo, 'one')
  assert.deepEqual(await standing(repo, three), ['open', 'two'])
  await remove(repo, 'two')
  assert.deepEqual(await standing(repo, three), ['open', 'main'])
})

test(`${REMOVE} closes those that have no next base branch, nothing to propose there, or another one that does`, async () => {
  const repo = await repository()
  const { number: one } = await propose(repo, 'one')
  const child = await stack(repo, 'child', 'one')
  const { number: two } = await propose(repo, 'two')
  const nothing = await stack(repo, 'nothing', 'one')
  const unmerged = await stack(repo, 'unmerged', 'two')
  const twice = await open(repo, { head: 'child', base: 'main' })
  await merge(repo, one, {})
  await merge(repo, await open(repo, { head: 'nothing', base: 'main' }), {})
  await remove(repo, 'two')
  assert.deepEqual(
    [await standing(repo, two), await standing(repo, unmerged)],
    [
      ['closed', 'main'],
      ['closed', 'two'],
    ],
  )
  await remove(repo, 'one')
  assert.deepEqual(
    [await standing(repo, child), await standing(repo, twice), await standing(repo, nothing)],
    [
      ['closed', 'one'],
      ['open', 'main'],
      ['closed', 'one'],
    ],
  )
  assert.equal((await on(repo)('GET ')).body.open_pr_counter, 1)
})

test(`${EDIT} to another base branch counts only approvals of those whom its rule names`, async () => {
  const repo = await repository()
  await admit(repo, bob)
  await protect(repo, {
    required_approvals: 1,
    enable_approvals_whitelist: true,
    approvals_whitelist_username: ['ada'],
  })
  await commit(repo, 'open', { 'open.txt': 'x' }, { isNew: true })
  const { number: index, id } = await propose(repo, 'one')
  const base = (branch: string) => on(repo)('PATCH /pulls/{index}', { index }, { body: { base: branch } })
  await base('open')
  const approval = { event: 'APPROVED' }
  const approve = on(repo)('POST /pulls/{index}/reviews', { index }, { as: bob, body: approval })
  assert.equal((await approve).body.official, true)
  assert.equal((await base('main')).status, 201)
  const [kept] =
    await pool`select is_official, is_stale, is_dismissed from forge.review where issue_id = ${id}`
  assert.deepEqual({ ...kept }, { is_official: false, is_stale: false, is_dismissed: false })
  const refused = await on(repo)('POST /pulls/{index}/merge', { index }, { body: { Do: 'merge' } })
  assert.deepEqual([refused.status, refused.body.message], [405, 'Does not have enough approvals'])
})

test(`${MERGE} by squash makes approvals stale of what contains more than before, and rules dismiss them`, async () => {
  const repo = await repository()
  await admit(repo, bob)
  await protect(repo, { dismiss_stale_approvals: true })
  const { number: one } = await propose(repo, 'one')
  const two = await stack(repo, 'two', 'one')
  const approval = { event: 'APPROVED' }
  await on(repo)('POST /pulls/{index}/reviews', { index: two }, { as: bob, body: approval })
  await merge(repo, one, { Do: 'squash', delete_branch_after_merge: true })
  const { body: reviews } = await on(repo)('GET /pulls/{index}/reviews', { index: two })
  assert.deepEqual([reviews[0].stale, reviews[0].dismissed], [true, true])
})
