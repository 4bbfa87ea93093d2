import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRunner } from '../../support/forge/actions.ts'
import { failure, steps, success, take } from '../../support/forge/runs.ts'
import { settled, startForge, startRepository, type TestRepository } from '../../support/forge/workflows.ts'
import { until } from '../../support/wait.ts'
import { browserOf } from '../browser.ts'

/** Commit statuses of jobs lead to the pages of these jobs. */

const forge = await startForge()
const { call, ada, pool } = forge
const { get, page } = browserOf(forge.url)
const runner = await startRunner(forge, { labels: ['x'] })

interface Status {
  context: string
  status: string
  target_url: string
}

const inRepo = ({ name }: TestRepository, more: object = {}) => ({
  as: ada,
  params: { owner: 'ada', repo: name, ...more },
})

/** Fails unless a commit has statuses of exactly these jobs, in these states, each of which leads to the page of its job. */
async function expectLinks(repo: TestRepository, ref: string, expected: Readonly<Record<string, string>>) {
  await settled(forge)
  const { body } = await call('GET /api/v1/repos/{owner}/{repo}/commits/{ref}/status', inRepo(repo, { ref }))
  const statuses: Status[] = body.statuses
  const states = statuses.map(({ context, status }) => [/ \/ (.*) \(\w+\)$/.exec(context)?.[1], status])
  assert.deepEqual(Object.fromEntries(states), expected)
  for (const [at, { target_url }] of statuses.entries()) {
    const shown = await page(new URL(target_url).pathname)
    assert.equal(/<h2>(.*?) <span/s.exec(shown)?.[1], states[at]?.[0], target_url)
  }
  return statuses
}

/** Waits until these jobs, which the server plans by itself, wait for a runner. */
const planned = (repo: TestRepository, names: readonly string[]) =>
  until('the server has planned the jobs', async () => {
    const rows = await pool`
      select from forge.action_job
      where repository_id = ${repo.id} and status = 'queued' and name = any(${[...names]}::text[])`
    return rows.length === names.length
  })

const newestRun = async (repo: TestRepository) => {
  const [row] = await pool<{ id: number }[]>`
    select id from forge.action_run where repository_id = ${repo.id} order by id desc limit 1`
  return row?.id ?? 0
}

test('statuses of every kind of job lead to the page of the job, also after a rename', async () => {
  const repo = await startRepository(forge, 'kinds')
  const list = '"${{ fromJSON(needs.made.outputs.list) }}"'
  const head = await repo.push({
    '.gitea/workflows/lib.yml': `on: workflow_call\njobs: {deep: {runs-on: x, ${steps}}}`,
    '.gitea/workflows/main.yml': `on: [push, pull_request]
jobs:
  made: {runs-on: x, ${steps}}
  call: {needs: made, uses: ./.gitea/workflows/lib.yml}
  matrix: {runs-on: none, strategy: {matrix: {v: [1, 2]}}, ${steps}}
  deferred: {needs: made, runs-on: none, strategy: {matrix: {v: ${list}}}, ${steps}}
  skipped: {needs: made, if: false, runs-on: none, ${steps}}
  broken: {runs-on: none, strategy: {matrix: {v: []}}, ${steps}}
  absent: {uses: ./.gitea/workflows/nowhere.yml}
  last: {needs: [matrix], runs-on: x, ${steps}}`,
  })
  await settled(forge)
  const broken = { broken: 'failure', absent: 'failure' }
  const waiting = { 'matrix (1)': 'pending', 'matrix (2)': 'pending', last: 'pending' }
  await expectLinks(repo, head, { ...broken, ...waiting, made: 'pending', skipped: 'pending' })
  const { task } = await take(runner)
  const state = { id: task.id, result: success }
  await runner.client.updateTask({ state, outputs: { list: '["a", "b"]' } })
  await planned(repo, ['call / deep', 'deferred (a)', 'deferred (b)'])
  await (await take(runner)).end(failure)
  const ended = { ...broken, made: 'success', skipped: 'skipped' }
  const open = { ...waiting, 'deferred (a)': 'pending', 'deferred (b)': 'pending' }
  await expectLinks(repo, head, { ...ended, ...open, 'call / deep': 'failure' })
  const run = await newestRun(repo)
  await call('POST /api/v1/repos/{owner}/{repo}/actions/runs/{run}/cancel', inRepo(repo, { run }))
  const over = Object.fromEntries(Object.keys(open).map((name) => [name, 'failure']))
  const before = await expectLinks(repo, head, { ...ended, ...over, 'call / deep': 'failure' })
  await call('POST /api/v1/repos/{owner}/{repo}/actions/runs/{run}/rerun-failed-jobs', inRepo(repo, { run }))
  await planned(repo, ['call / deep', 'deferred (a)', 'deferred (b)'])
  const again = { ...ended, ...open, 'call / deep': 'pending' }
  const after = await expectLinks(repo, head, again)
  const linkOf = (statuses: readonly Status[], name: string) =>
    statuses.find(({ context }) => context.includes(`/ ${name} (`))?.target_url
  assert.notEqual(linkOf(after, 'matrix (1)'), linkOf(before, 'matrix (1)'), 'the job of the new attempt')
  await call('PATCH /api/v1/repos/{owner}/{repo}', { ...inRepo(repo), body: { name: 'renamed' } })
  const old = await get(new URL(linkOf(after, 'made') ?? '').pathname)
  assert.match(old.headers.get('location') ?? '', /\/ada\/renamed\/actions\/runs\/\d+\/jobs\/\d+$/)
})

test('statuses of a file that cannot be read, and of a pull request, lead to their jobs', async () => {
  const repo = await startRepository(forge, 'proposed')
  const broken = await repo.push({ '.gitea/workflows/broken.yml': 'on: push\njobs: {a: ' })
  await expectLinks(repo, broken, { 'broken.yml': 'failure' })
  await repo.push({ '.gitea/workflows/broken.yml': null })
  const head = await repo.push(
    { '.gitea/workflows/pr.yml': `on: pull_request\njobs: {checked: {runs-on: none, ${steps}}}` },
    { branch: 'topic' },
  )
  const body = { title: 'Check it', head: 'topic', base: 'main' }
  await call('POST /api/v1/repos/{owner}/{repo}/pulls', { ...inRepo(repo), body })
  await expectLinks(repo, head, { checked: 'pending' })
})
