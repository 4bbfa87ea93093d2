import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../../support/app.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { pullMakers } from '../../../support/forge/pulls.ts'
import { clientOk } from '../../../support/git.ts'

/** Merges of pull requests whose head branch has moved, by a server that was killed before it published that. */

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: folder })
const [ada, bob] = await app.make.people('ada', 'bob')
const { on, repository, propose } = pullMakers(app, ada)

const MERGE = 'POST /api/v1/repos/{owner}/{repo}/pulls/{index}/merge'

const pathOf = (owner: string, repo: string) => join(folder, 'repositories', owner, `${repo}.git`)

/** Puts a commit on a branch, as git leaves it before the server knows; gives its id. */
async function moveUnseen(path: string, branch: string): Promise<string> {
  const tree = await clientOk(path, 'rev-parse', `${branch}^{tree}`)
  const id = await clientOk(path, 'commit-tree', '-p', branch, '-m', `Unseen on ${branch}`, tree)
  await clientOk(path, 'update-ref', `refs/heads/${branch}`, id)
  return id
}

const merge = async (repo: string, index: number, body: object = {}) =>
  (await on(repo)('POST /pulls/{index}/merge', { index }, { body: { Do: 'merge', ...body } })).status

/** The pull request and its kept head agree, and `main` has the commit. */
async function requireMerged(repo: string, index: number, id: string): Promise<void> {
  const path = pathOf('ada', repo)
  const { body } = await on(repo)('GET /pulls/{index}', { index })
  assert.deepEqual([body.merged, body.head.sha], [true, id])
  assert.equal(await clientOk(path, 'rev-parse', `refs/pull/${index}/head`), id)
  await clientOk(path, 'merge-base', '--is-ancestor', id, 'main')
  const timeline = await on(repo)('GET /issues/{index}/timeline', { index })
  const types = timeline.body.map(({ type }: { type: string }) => type)
  assert.deepEqual(types, ['pull_push', 'merge_pull'])
}

test(`${MERGE} merges what the head branch has, though its push was not published`, async () => {
  const repo = await repository()
  const { number, head } = await propose(repo, 'topic')
  const id = await moveUnseen(pathOf('ada', repo), 'topic')
  assert.equal(await merge(repo, number, { head_commit_id: head }), 409)
  assert.equal(await merge(repo, number, { head_commit_id: id }), 200)
  await requireMerged(repo, number, id)
})

test(`${MERGE} merges what the branch of a fork has, though its push was not published`, async () => {
  const repo = await repository()
  const forked = await on(repo)('POST /forks', {}, { as: bob, body: {} })
  assert.equal(forked.status, 202)
  const branch = { content: '', message: 'Add', new_branch: 'topic', branch: 'main' }
  const written = await on(repo, bob.name)(
    'POST /contents/{filepath...}',
    { filepath: 'new.txt' },
    { as: bob, body: branch },
  )
  assert.equal(written.status, 201)
  const body = { head: 'bob:topic', base: 'main', title: 'Topic' }
  const { number } = (await on(repo)('POST /pulls', {}, { as: bob, body })).body
  const id = await moveUnseen(pathOf('bob', repo), 'topic')
  assert.equal(await merge(repo, number), 200)
  await requireMerged(repo, number, id)
})

test(`${MERGE} leaves the head of a closed pull request as it was`, async () => {
  const repo = await repository()
  const { number, head } = await propose(repo, 'topic')
  await on(repo)('PATCH /pulls/{index}', { index: number }, { body: { state: 'closed' } })
  await moveUnseen(pathOf('ada', repo), 'topic')
  assert.equal(await merge(repo, number), 404)
  assert.equal((await on(repo)('GET /pulls/{index}', { index: number })).body.head.sha, head)
})
