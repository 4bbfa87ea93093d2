import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../support/app.ts'
import { onServer } from '../../../support/database.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { pullMakers } from '../../../support/forge/pulls.ts'
import { untilLocked } from '../../../support/wait.ts'

/** A pull request gets another base branch at the moment at which it is merged: what is recorded is what has happened. */

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const { make, pool } = app
const [ada] = await make.people('ada')
const { on, repository, commit, propose } = pullMakers(app, ada)

const MERGE = 'POST /pulls/{index}/merge'

/** A pull request for `main` in a repository that also has the branch `next`. */
async function proposed() {
  const repo = await repository()
  await commit(repo, 'next', { next: '' }, { isNew: true })
  const { number, head } = await propose(repo, 'topic')
  const [pull] = await pool<{ id: number }[]>`
    select issue.id
    from forge.issue
    join forge.repository on repository.id = repository_id
    where repository.name = ${repo} and number = ${number}`
  return { repo, index: number, head, id: pull?.id ?? 0 }
}

/** Announces a merge that has not moved the base branch yet. */
const announce = ({ id, head }: { id: number; head: string }) => pool`
  insert into forge.pull_merge (issue_id, commit_id, head_commit, style, merger_id, begun_at)
  values (${id}, ${head}, ${head}, 'merge', null, now())`

const baseOf = async (repo: string, index: number) =>
  (await on(repo)('GET /pulls/{index}', { index })).body.base.ref

test('PATCH /pulls/{index} gives no other base branch to what is being merged, and changes all else', async () => {
  const pull = await proposed()
  const { repo, index } = pull
  await announce(pull)
  const edit = (body: object) => on(repo)('PATCH /pulls/{index}', { index }, { body })
  const { status, body } = await edit({ base: 'next' })
  assert.deepEqual([status, body.message], [409, 'the pull request is being merged; try again later'])
  assert.equal((await edit({ title: 'Other', base: 'main' })).status, 201)
  assert.equal(await baseOf(repo, index), 'main')
})

test('the deletion of a base branch closes what is being merged into it', async () => {
  const { repo } = await proposed()
  const made = await on(repo)(
    'POST /contents/{filepath...}',
    { filepath: 'more' },
    { body: { content: '', message: 'Write', branch: 'topic', new_branch: 'more' } },
  )
  assert.equal(made.status, 201)
  const opened = await on(repo)('POST /pulls', {}, { body: { title: 'x', head: 'more', base: 'topic' } })
  const { number: index, head } = opened.body
  const merged = await on(repo)(MERGE, { index: 1 }, { body: { Do: 'merge' } })
  assert.equal(merged.status, 200)
  const [row] = await pool<{ issue_id: number }[]>`
    select issue_id from forge.pull_request where head_commit = ${head.sha}`
  await announce({ id: row?.issue_id ?? 0, head: head.sha })
  const { status } = await on(repo)('DELETE /branches/{branch...}', { branch: 'topic' })
  assert.equal(status, 204)
  const { body } = await on(repo)('GET /pulls/{index}', { index })
  assert.deepEqual([body.state, body.base.ref], ['closed', 'topic'])
})

test(`${MERGE} merges nothing whose base branch changes before the merge is announced`, {
  skip: !onServer && 'the embedded database has one connection',
}, async () => {
  const { repo, index, id } = await proposed()
  const before = (await on(repo)('GET /branches/{branch...}', { branch: 'main' })).body.commit.id
  let answer: ReturnType<ReturnType<typeof on>> | undefined
  await pool.begin(async (tx) => {
    await tx`update forge.pull_request set base_branch = 'next' where issue_id = ${id}`
    answer = on(repo)(MERGE, { index }, { body: { Do: 'merge' } })
    await untilLocked(pool, 'the merge waits for the other base branch')
  })
  const { status, body } = (await answer) ?? assert.fail()
  assert.deepEqual([status, body.message], [405, 'Please try again later'])
  assert.equal(await baseOf(repo, index), 'next')
  const after = (await on(repo)('GET /branches/{branch...}', { branch: 'main' })).body.commit.id
  assert.equal(after, before)
})

test(`${MERGE} waits for one that ends before it locks the pull request`, {
  skip: !onServer && 'the embedded database has one connection',
}, async () => {
  const pull = await proposed()
  await announce(pull)
  let answer: ReturnType<ReturnType<typeof on>> | undefined
  await pool.begin(async (tx) => {
    await tx`delete from forge.pull_merge where issue_id = ${pull.id}`
    answer = on(pull.repo)(MERGE, { index: pull.index }, { body: { Do: 'merge' } })
    await untilLocked(pool, 'the merge waits for the end of the other one')
    await tx`set local lock_timeout = '1ms'`
    await tx`update forge.pull_request set merged_at = null where issue_id = ${pull.id}`
  })
  assert.equal((await answer)?.status, 200)
})
