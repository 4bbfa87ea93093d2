import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { pullMakers } from '../../support/forge/pulls.ts'
import { client } from '../../support/git.ts'

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: folder })
const { call, pool, make } = app
const ada = await make.person({ name: 'ada' })
const boss = await make.admin({ name: 'boss' })
const { on, repository, propose } = pullMakers(app, ada)

const refsOf = async (repo: string) => {
  const directory = join(folder, 'repositories', 'ada', `${repo}.git`)
  return (await client(directory, 'for-each-ref', '--format=%(refname)', 'refs/pull')).stdout.trim()
}

async function runTask(): Promise<void> {
  const params = { task: 'remove_pull_refs' }
  assert.equal((await call('POST /api/v1/admin/cron/{task}', { as: boss, params })).status, 204)
  await app.app.tools.schedule.idle()
}

const remove = async (repo: string, index: number) =>
  (await on(repo)('DELETE /issues/{index}', { index })).status

const left = async () => {
  const [row] = await pool`select count(*)::integer as count from forge.removed_pull`
  return row?.count
}

test('the commits of a deleted pull request cannot be fetched once the task has run', async () => {
  const repo = await repository()
  const [one, two] = [await propose(repo, 'one'), await propose(repo, 'two')]
  const issue = (await on(repo)('POST /issues', {}, { body: { title: 'No code' } })).body.number
  assert.equal(await remove(repo, one.number), 204)
  assert.equal(await remove(repo, issue), 204)
  assert.equal(await left(), 1, 'an issue has no ref')
  await runTask()
  assert.equal(await refsOf(repo), `refs/pull/${two.number}/head`)
  assert.equal(await left(), 0)
})

test('a repository that is deleted leaves no ref to remove', async () => {
  const repo = await repository()
  const { number } = await propose(repo, 'one')
  assert.equal(await remove(repo, number), 204)
  assert.equal((await on(repo)('DELETE ')).status, 204)
  await runTask()
  assert.equal(await left(), 0)
})
