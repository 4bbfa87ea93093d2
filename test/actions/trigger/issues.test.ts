import assert from 'node:assert/strict'
import { test } from 'node:test'
import { putListening } from '../../../src/actions/trigger/listening-store.ts'
import { settled, startForge, startRepository } from '../../support/forge/workflows.ts'

const forge = await startForge()
const { pool, call, make, ada } = forge
const REPO = '/api/v1/repos/{owner}/{repo}'

const on = (event: string, shown: string) =>
  `on: ${event}\njobs: {a: {runs-on: x, steps: [{run: "echo \${{ ${shown} }}"}]}}`

interface Run {
  workflow_file: string
  event: string
  ref: string
  commit_sha: string
  actor: string
}

async function runsOf(repository: number): Promise<Run[]> {
  await settled(forge)
  const rows = await pool<Run[]>`
    select workflow_file, event, ref, commit_sha, account.name as actor
    from forge.action_run
    join forge.account on account.id = action_run.actor_id
    where repository_id = ${repository}
    order by number`
  return [...rows]
}
const filesOf = async (repository: number) =>
  (await runsOf(repository)).map(({ workflow_file }) => workflow_file)

test('issues and comments start the workflows of the default branch that wait for the action', async () => {
  const repo = await startRepository(forge, 'tracked')
  const inRepo = { owner: 'ada', repo: 'tracked' }
  const ask = (literal: string, body?: object, more: object = {}) => {
    const [method, path] = literal.split(' ')
    return call(`${method} ${REPO}${path}`, {
      as: ada,
      params: { ...inRepo, index: 1, ...more },
      ...(body && { body }),
    })
  }
  const { body: label } = await ask('POST /labels', { name: 'bug', color: '#ee0701' })
  const { body: milestone } = await ask('POST /milestones', { title: 'next' })
  await repo.push({ 'README.md': 'nothing waits yet' })
  await ask('POST /issues', { title: 'too early' })
  assert.deepEqual(await runsOf(repo.id), [])
  const commit = await repo.push({
    '.gitea/workflows/all.yml': on('issues', 'github.event.issue.title'),
    '.gitea/workflows/closed.yml': on('{issues: {types: [closed]}}', 'github.event.action'),
    '.gitea/workflows/labeled.yml': on('{issues: {types: ["label*"]}}', 'github.event.action'),
    '.gitea/workflows/said.yml': on('{issue_comment: {types: [created]}}', 'github.event.comment.body'),
  })
  await repo.push(
    { '.gitea/workflows/elsewhere.yml': on('issues', 'github.event.action') },
    { branch: 'topic' },
  )
  const eve = await make.person({ name: 'eve' })
  await call(`POST ${REPO}/issues`, { as: eve, params: inRepo, body: { title: 'It leaks' } })
  const [opened, ...others] = await runsOf(repo.id)
  assert.deepEqual(
    [opened, others],
    [
      { workflow_file: 'all.yml', event: 'issues', ref: 'refs/heads/main', commit_sha: commit, actor: 'eve' },
      [],
    ],
  )
  const [run] = await pool<{ payload: { action: string; issue: { title: string } } }[]>`
    select payload from forge.action_run where repository_id = ${repo.id}`
  assert.deepEqual([run?.payload.action, run?.payload.issue.title], ['opened', 'It leaks'])
  let known = 1
  const started = async (...files: string[]) => {
    assert.deepEqual((await filesOf(repo.id)).slice(known).toSorted(), files)
    known += files.length
  }
  await ask('POST /issues/{index}/labels', { labels: [label.id] })
  await started('all.yml', 'labeled.yml')
  await ask('PATCH /issues/{index}', { milestone: milestone.id })
  await started('all.yml')
  await ask('PATCH /issues/{index}', { state: 'closed' })
  await started('all.yml', 'closed.yml')
  const { body: said } = await ask('POST /issues/{index}/comments', { body: 'so it does' })
  await started('said.yml')
  await ask('PATCH /issues/comments/{id}', { body: 'so it did' }, { id: said.id })
  await started()
  await repo.push({
    '.gitea/workflows/all.yml': null,
    '.gitea/workflows/elsewhere.yml': null,
    '.gitea/workflows/late.yml': on('issues', 'github.ref'),
  })
  await ask('PATCH /issues/{index}', { state: 'open' })
  await started('late.yml')
  await ask('DELETE /issues/{index}')
  await started('late.yml')
})

test('events about issues for which no workflow waits are not queued until a branch changes', async () => {
  const repo = await startRepository(forge, 'quiet')
  const params = { owner: 'ada', repo: 'quiet' }
  const open = () => call(`POST ${REPO}/issues`, { as: ada, params, body: { title: 'again' } })
  const listening = async () => {
    await settled(forge)
    const [row] = await pool<{ events: string[] }[]>`
      select events from forge.action_listening where repository_id = ${repo.id}`
    return row?.events
  }
  assert.equal(await listening(), undefined)
  await open()
  assert.deepEqual(await listening(), [], 'a repository without files')
  await repo.push({ '.gitea/workflows/push.yml': on('[push, issue_comment]', 'github.ref') })
  assert.deepEqual(await listening(), ['issue_comment'])
  const [before] = await pool<{ last: number }[]>`select last_value as last from forge.action_trigger_id_seq`
  await open()
  await settled(forge)
  const [after] = await pool<{ last: number }[]>`select last_value as last from forge.action_trigger_id_seq`
  assert.equal(after?.last, before?.last)
  assert.deepEqual(await filesOf(repo.id), ['push.yml'])
})

test('nothing is stored for a repository that was deleted', async () => {
  await putListening(pool, 999_999, { branch: 'main', events: [] })
  assert.deepEqual([...(await pool`select from forge.action_listening where repository_id = 999999`)], [])
})

test('a change of an issue by a job starts no workflow', async () => {
  const repo = await startRepository(forge, 'looped')
  await repo.push({ '.gitea/workflows/all.yml': on('[issues]', 'github.ref') })
  const bot = { authorization: '' }
  const [{ id } = { id: 0 }] = await pool<{ id: number }[]>`
    select id from forge.account where name = 'gitea-actions'`
  bot.authorization = `token ${await make.token({ id })}`
  const answered = await call(`POST ${REPO}/issues`, {
    as: bot,
    params: { owner: 'ada', repo: 'looped' },
    body: { title: 'made by a job' },
  })
  assert.equal(answered.status, 201)
  assert.deepEqual(await filesOf(repo.id), [])
})
