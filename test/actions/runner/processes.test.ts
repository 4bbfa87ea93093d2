import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { serveApp } from '../../support/app.ts'
import { startRunner } from '../../support/forge/actions.ts'
import { settled, startForge, startRepository, yardOf } from '../../support/forge/workflows.ts'

const forge = await startForge()
const { pool } = forge
const other = await serveApp(forge.database, { DATA_DIR: join(forge.folder, 'data') })
const otherYard = yardOf(other)
after(async () => {
  await otherYard.stop()
  await other.close()
})

const source = 'on: [push, create]\njobs: {a: {runs-on: x, steps: [{run: echo}]}}'

test('two processes evaluate pushes concurrently, and each push starts one run, in order', async () => {
  const repos = await Promise.all(['one', 'two', 'three'].map((name) => startRepository(forge, name)))
  const commits = await Promise.all(
    repos.map(async (repo) => {
      const made: string[] = []
      for (let at = 0; at < 5; at++)
        made.push(await repo.push({ '.gitea/workflows/a.yml': `${source}\n# ${at}` }))
      return made
    }),
  )
  await settled(forge)
  for (const [at, repo] of repos.entries()) {
    const runs = await pool<{ number: number; event: string; commit_sha: string }[]>`
      select number, event, commit_sha from forge.action_run where repository_id = ${repo.id} order by number`
    assert.deepEqual(
      runs.map(({ number }) => number),
      [1, 2, 3, 4, 5, 6],
    )
    const pushed = runs.filter(({ event }) => event === 'push').map(({ commit_sha }) => commit_sha)
    assert.deepEqual(pushed, commits[at])
  }
})

test('two jobs that end at once in two processes release the third one once', async () => {
  const repo = await startRepository(forge, 'join')
  const steps = 'steps: [{run: echo}]'
  await repo.push({
    '.gitea/workflows/a.yml': `on: push\njobs: {a: {runs-on: y, ${steps}}, b: {runs-on: y, ${steps}}, c: {needs: [a, b], runs-on: y, ${steps}}}`,
  })
  await settled(forge)
  const runners = await Promise.all([
    startRunner(forge, { name: 'first', labels: ['y'] }),
    startRunner(other, { name: 'second', labels: ['y'] }),
  ])
  const tasks: bigint[] = []
  for (const { client } of runners) tasks.push((await client.fetchTask({ tasksVersion: 0n })).task?.id ?? 0n)
  await Promise.all(
    runners.map(({ client }, at) => client.updateTask({ state: { id: tasks[at] ?? 0n, result: 1 } })),
  )
  const jobs = await pool<{ status: string }[]>`
    select status from forge.action_job where repository_id = ${repo.id} order by number`
  assert.deepEqual(
    jobs.map(({ status }) => status),
    ['success', 'success', 'queued'],
  )
})

test('of new members of a group in two processes, one starts', async () => {
  const repo = await startRepository(forge, 'group')
  await repo.push({
    '.gitea/workflows/a.yml':
      'on: workflow_dispatch\nconcurrency: g\njobs: {a: {runs-on: z, steps: [{run: echo}]}}',
  })
  await settled(forge)
  const dispatch = 'POST /api/v1/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches'
  const params = { owner: 'ada', repo: repo.name, workflow_id: 'a.yml' }
  const ask = { as: forge.ada, params, body: { ref: 'main' } }
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, at) => (at % 2 ? forge : other).call(dispatch, ask)),
  )
  assert.ok(answers.every(({ status }) => status === 204))
  const runs = await pool<{ status: string }[]>`
    select status from forge.action_run where repository_id = ${repo.id}`
  assert.equal(runs.filter(({ status }) => status === 'queued').length, 1)
  assert.equal(runs.filter(({ status }) => status === 'cancelled').length, 5)
})

test('manual starts during pushes use each run number once and skip none', async () => {
  const repo = await startRepository(forge, 'numbers')
  await repo.push({
    '.gitea/workflows/a.yml': 'on: [push, workflow_dispatch]\njobs: {a: {runs-on: z, steps: [{run: echo}]}}',
  })
  await settled(forge)
  const dispatch = 'POST /api/v1/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches'
  const params = { owner: 'ada', repo: repo.name, workflow_id: 'a.yml' }
  const byHand = async (at: number) => {
    const app = at % 2 ? forge : other
    return (await app.call(dispatch, { as: forge.ada, params, body: { ref: 'main' } })).status
  }
  const pushes = async () => {
    for (let at = 0; at < 4; at++) await repo.push({ file: String(at) })
  }
  const [statuses] = await Promise.all([
    Promise.all(Array.from({ length: 12 }, (_, at) => byHand(at))),
    pushes(),
  ])
  await settled(forge)
  const runs = await pool<{ number: number; event: string }[]>`
    select number, event from forge.action_run where repository_id = ${repo.id} order by number`
  const started = statuses.filter((status) => status === 204).length
  assert.ok(statuses.every((status) => status === 204))
  assert.equal(runs.filter(({ event }) => event === 'workflow_dispatch').length, started)
  assert.equal(runs.filter(({ event }) => event === 'push').length, 5, 'no push is lost')
  assert.deepEqual(
    runs.map(({ number }) => number),
    runs.map((_, at) => at + 1),
  )
})
