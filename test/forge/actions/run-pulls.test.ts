import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pullMakers } from '../../support/forge/pulls.ts'
import { settled, startForge } from '../../support/forge/workflows.ts'

/** The pull requests that answers about runs name. */

const forge = await startForge()
const { pool, call, make, ada } = forge
const [eve] = await make.people('eve')
const { on, repository, commit, propose } = pullMakers(forge, ada)

const RUNS = 'GET /api/v1/repos/{owner}/{repo}/actions/runs'
const RUN = 'GET /api/v1/repos/{owner}/{repo}/actions/runs/{run}'

interface Run {
  id: number
  event: string
  head_sha: string
  head_branch?: string
  pull_requests: { number: number; head: { repo: { name: string } } }[]
}

async function runsOf(repo: string, query: Record<string, string> = {}): Promise<Run[]> {
  await settled(forge)
  return (await on(repo)('GET /actions/runs', {}, { query })).body.workflow_runs
}

/** A repository whose pushes and pull requests start runs. */
async function watched(): Promise<string> {
  const repo = await repository()
  const text = `on: [push, pull_request, pull_request_target, release]\njobs: {a: {runs-on: nowhere, steps: [{run: echo}]}}`
  await commit(repo, 'main', { '.gitea/workflows/ci.yml': text })
  return repo
}

test(`${RUNS} and ${RUN} name the pull request that a run is about, and those of a pushed branch`, async () => {
  const repo = await watched()
  const { number, id, head } = await propose(repo, 'one')
  const runs = await runsOf(repo)
  const { body: pull } = await on(repo)('GET /pulls/{index}', { index: number })
  const { body: home } = await on(repo)('GET ')
  const shown = { id: home.id, url: home.url, name: repo }
  const expected = {
    id,
    number,
    url: `${home.url}/pulls/${number}`,
    head: { ref: 'one', sha: head, repo: shown },
    base: { ref: 'main', sha: pull.merge_base, repo: shown },
  }
  const of = (event: string, branch?: string) =>
    runs.find((run) => run.event === event && run.head_branch === branch)
  assert.deepEqual(of('pull_request')?.pull_requests, [expected])
  assert.deepEqual(of('push', 'one')?.pull_requests, [expected])
  const target = of('pull_request_target', 'main')
  const base = { ...expected.head, sha: target?.head_sha }
  assert.deepEqual(target?.pull_requests, [{ ...expected, head: base }])
  assert.deepEqual(of('push', 'main')?.pull_requests, [])
  for (const run of runs) {
    const one = await on(repo)('GET /actions/runs/{run}', { run: run.id })
    assert.deepEqual(one.body.pull_requests, run.pull_requests)
  }
  const without = await runsOf(repo, { exclude_pull_requests: 'true' })
  assert.deepEqual(
    without.map((run) => [run.id, run.pull_requests]),
    runs.map((run) => [run.id, []]),
  )
  await on(repo)('PATCH /pulls/{index}', { index: number }, { body: { state: 'closed' } })
  const later = await runsOf(repo)
  const named = later.flatMap(({ event, pull_requests }) => (pull_requests.length > 0 ? event : []))
  assert.deepEqual(
    named.toSorted(),
    ['pull_request', 'pull_request_target'],
    'only open ones propose a branch',
  )
  await on(repo)('PATCH ', {}, { body: { has_pull_requests: false } })
  assert.ok((await runsOf(repo)).every(({ pull_requests }) => pull_requests.length === 0))
})

test(`${RUNS} does not name the repository of a head that is private or gone`, async () => {
  const repo = await watched()
  const params = { owner: 'ada', repo }
  await call('POST /api/v1/repos/{owner}/{repo}/forks', { as: eve, params, body: { name: 'theirs' } })
  const fork = { as: eve, params: { owner: 'eve', repo: 'theirs' } }
  await call('POST /api/v1/repos/{owner}/{repo}/contents/{filepath...}', {
    as: eve,
    params: { ...fork.params, filepath: 'new.txt' },
    body: { content: '', message: 'Add', branch: 'main', new_branch: 'side' },
  })
  const opened = { title: 'Add', head: 'eve:side', base: 'main' }
  assert.equal((await on(repo)('POST /pulls', {}, { as: eve, body: opened })).status, 201)
  const names = async () =>
    (await runsOf(repo))
      .filter(({ event }) => event === 'pull_request')
      .map(({ pull_requests }) => pull_requests[0]?.head.repo.name)
  assert.deepEqual(await names(), ['theirs'])
  await pool`update forge.repository set is_private = true where name = 'theirs'`
  assert.deepEqual(await names(), [repo])
  await call('DELETE /api/v1/repos/{owner}/{repo}', fork)
  assert.deepEqual(await names(), [repo])
})
