import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closedBy } from '../../../../src/forge/issues/closing-words.ts'
import { startApp } from '../../../support/app.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { queuedMessages } from '../../../support/forge/hook-messages.ts'
import { pullMakers } from '../../../support/forge/pulls.ts'

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const { pool } = app
const [ada, eve] = await app.make.people('ada', 'eve')
const { on, repository, commit, propose } = pullMakers(app, ada)

const MERGE = 'POST /api/v1/repos/{owner}/{repo}/pulls/{index}/merge'

const merge = async (repo: string, index: number, body: object = { Do: 'merge' }) =>
  (await on(repo)('POST /pulls/{index}/merge', { index }, { body })).status

test(`${MERGE} tells webhooks that the pull request is closed and merged`, async () => {
  const repo = await repository()
  const one = await propose(repo, 'one')
  assert.equal(await merge(repo, one.number, { Do: 'squash' }), 200)
  const closed = (await queuedMessages(pool)).filter(
    ({ event, payload }) => event === 'pull_request' && payload.action === 'closed',
  )
  assert.deepEqual(
    closed.map(({ payload }) => [payload.number, payload.pull_request.merged, payload.sender.login]),
    [[one.number, true, 'ada']],
  )
  assert.match(closed[0]?.payload.pull_request.merge_commit_sha, /^[0-9a-f]{40}$/)
})

test(`${MERGE} closes the open issues that the title and the text say are done`, async () => {
  const repo = await repository()
  const open = async (title: string) =>
    (await on(repo)('POST /issues', {}, { as: eve, body: { title } })).body.number as number
  const [done, also, named, waiting, other] = [
    await open('done'),
    await open('also'),
    await open('named'),
    await open('waiting'),
    await open('other'),
  ]
  await on(repo)('POST /issues/{index}/dependencies', { index: waiting }, { body: { index: other } })
  const body = `Closes: #${also}, resolves ada/${repo}#${named}, fixes #${waiting}, see #${other}, fixes eve/x#${other}, fixes #999`
  const { number } = await propose(repo, 'topic', { as: eve, title: `Fix #${done}`, body })
  assert.equal(await merge(repo, number), 200)
  const state = async (index: number) => (await on(repo)('GET /issues/{index}', { index })).body.state
  assert.deepEqual(await Promise.all([done, also, named, waiting, other, number].map(state)), [
    'closed',
    'closed',
    'closed',
    'open',
    'open',
    'closed',
  ])
  const timeline = await on(repo)('GET /issues/{index}/timeline', { index: done })
  const last = timeline.body.at(-1)
  assert.deepEqual([last.type, last.user.login], ['close', 'ada'])
  const home = await on(repo)('GET ')
  assert.deepEqual([home.body.open_issues_count, home.body.open_pr_counter], [2, 0])
  const messages = (await queuedMessages(pool)).filter(
    ({ event, payload }) => event === 'issues' && payload.action === 'closed',
  )
  const { merge_commit_sha } = (await on(repo)('GET /pulls/{index}', { index: number })).body
  assert.deepEqual(
    messages.map(({ payload }) => payload.commit_id),
    [merge_commit_sha, merge_commit_sha, merge_commit_sha],
  )
})

test('POST /api/v1/repos/{owner}/{repo}/contents tells webhooks of the issues that its message closes, with the commit', async () => {
  const repo = await repository()
  const { number } = (await on(repo)('POST /issues', {}, { body: { title: 'done' } })).body
  const before = (await queuedMessages(pool)).length
  const id = await commit(repo, 'main', { 'a.txt': 'a' }, { message: `Mend it\n\nFixes #${number}` })
  const told = (await queuedMessages(pool)).slice(before).filter(({ event }) => event === 'issues')
  assert.deepEqual(
    told.map(({ payload }) => [payload.action, payload.number, payload.commit_id]),
    [['closed', number, id]],
  )
})

test('words that close issues stand before the number, as words', () => {
  const numbers = (text: string) => closedBy([text], 'ada/code')
  for (const text of [
    'Fixes #1',
    'x (closes #1)',
    'RESOLVED: #1',
    'fix ada/CODE#1',
    'closed !1',
    'close\n\nfixes #1',
  ])
    assert.deepEqual(numbers(text), [1], text)
  for (const text of [
    '#1',
    'prefixes #1',
    'fixes#1',
    'fixes #1a',
    'fixes eve/code#1',
    'fixing #1',
    'fixes # 1',
  ])
    assert.deepEqual(numbers(text), [], text)
  assert.deepEqual(numbers('fixes #2, fixes #1 and closes #2'), [2, 1])
  assert.equal(numbers(Array.from({ length: 60 }, (_, at) => `fixes #${at + 1}`).join(' ')).length, 50)
})

test(`${MERGE} merges a pull request that somebody closes while its branch moves`, async () => {
  const repo = await repository()
  const issue = (await on(repo)('POST /issues', {}, { body: { title: 'To do' } })).body.number as number
  const { number } = await propose(repo, 'topic', { body: `Closes #${issue}` })
  await pool`
    create function close_meanwhile() returns trigger language plpgsql as $$
    begin
      update forge.issue set closed_at = now() where id = old.issue_id;
      return old;
    end $$`
  await pool`
    create trigger closes before delete on forge.pull_merge for each row execute function close_meanwhile()`
  assert.equal(await merge(repo, number), 200)
  await pool`drop function close_meanwhile cascade`
  const [pull, done, timeline] = await Promise.all([
    on(repo)('GET /pulls/{index}', { index: number }),
    on(repo)('GET /issues/{index}', { index: issue }),
    on(repo)('GET /issues/{index}/timeline', { index: number }),
  ])
  assert.deepEqual([pull.body.state, pull.body.merged, done.body.state], ['closed', true, 'closed'])
  assert.equal(timeline.body.filter(({ type }: { type: string }) => type === 'merge_pull').length, 1)
})

test(`${MERGE} refuses nobody whose pull request another merge of the same commit has recorded`, async () => {
  for (let round = 0; round < 6; round++) {
    const repo = await repository()
    const one = await propose(repo, 'one')
    const branch = { new_branch_name: 'two', old_ref_name: 'one' }
    assert.equal((await on(repo)('POST /branches', {}, { body: branch })).status, 201)
    const two = await on(repo)('POST /pulls', {}, { body: { title: 'two', head: 'two', base: 'main' } })
    const numbers = [one.number, two.body.number]
    const statuses = await Promise.all(
      numbers.map((index) => merge(repo, index, { Do: 'fast-forward-only' })),
    )
    for (const [at, index] of numbers.entries()) {
      const { body } = await on(repo)('GET /pulls/{index}', { index })
      assert.equal(statuses[at], body.merged ? 200 : 405, `#${index}`)
    }
  }
})
