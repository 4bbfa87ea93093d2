import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queueDueSchedules } from '../../../src/actions/trigger/schedule-tick.ts'
import { insertTriggers } from '../../../src/actions/trigger/trigger-store.ts'
import { startRunner } from '../../support/forge/actions.ts'
import { settled, startForge, startRepository } from '../../support/forge/workflows.ts'

const forge = await startForge()
const { pool } = forge

const job = 'jobs: {a: {runs-on: x, steps: [{run: echo}]}}'
const ci = `name: Build\non: push\n${job}`
const after = (filters: string) => `on: {workflow_run: ${filters}}\n${job}`

interface Run {
  id: number
  workflow_file: string
  event: string
  ref: string
  commit_sha: string
  dispatch_depth: number
  by_bot: boolean
  payload: {
    action: string
    workflow: { name: string }
    workflow_run: { id: number; event: string; conclusion?: string; head_branch?: string }
  }
}

async function runsOf(repository: number): Promise<Run[]> {
  await settled(forge)
  return [
    ...(await pool<Run[]>`
      select id, workflow_file, event, ref, commit_sha, dispatch_depth, by_bot, payload
      from forge.action_run
      where repository_id = ${repository}
      order by number`),
  ]
}

/** The files of the runs that followed others, in alphabetical order. */
const followers = async (repository: number) =>
  (await runsOf(repository))
    .filter(({ event }) => event === 'workflow_run')
    .map(({ workflow_file }) => workflow_file)
    .toSorted()

/** A runner that takes the next job, and reports its result. */
async function work(result: 1 | 2): Promise<void> {
  const { client } = await startRunner(forge, { labels: ['x'] })
  const { task } = await client.fetchTask({ tasksVersion: 0n })
  assert.ok(task, 'there was no job')
  await settled(forge)
  await client.updateTask({ state: { id: task.id, result } })
}

test('a run starts the workflows of the default branch that wait for it', async () => {
  const repo = await startRepository(forge, 'followed')
  const waiting = {
    'all.yml': after('{types: [completed]}'),
    'named.yml': after('{workflows: [Build], types: [completed]}'),
    'globbed.yml': after('{workflows: ["Bu*"], types: [comp*]}'),
    'other.yml': after('{workflows: [build.yml, Deploy], types: [completed]}'),
    'topic.yml': after('{types: [completed], branches: ["top*", "!topmost"]}'),
    'main.yml': after('{types: [completed], branches: [main]}'),
    'ignored.yml': after('{types: [completed], branches-ignore: [topic]}'),
    'unknown.yml': after('{types: [completed], tags: [v1]}'),
    'begun.yml': after('{workflows: [Build], types: [in_progress]}'),
    'asked.yml': after('{workflows: [Build], types: [requested]}'),
  }
  const files = Object.entries(waiting).map(([name, text]) => [`.gitea/workflows/${name}`, text])
  const head = await repo.push(Object.fromEntries(files))
  const topic = await repo.push({ '.gitea/workflows/build.yml': ci }, { branch: 'topic' })
  assert.deepEqual(await followers(repo.id), ['asked.yml'])
  await pool`delete from forge.action_run where repository_id = ${repo.id} and event = 'workflow_run'`
  await work(2)
  const ended = ['all.yml', 'begun.yml', 'globbed.yml', 'named.yml', 'topic.yml']
  assert.deepEqual(await followers(repo.id), ended)
  const runs = await runsOf(repo.id)
  const named = runs.find(({ workflow_file }) => workflow_file === 'named.yml')
  assert.deepEqual([named?.ref, named?.commit_sha], ['refs/heads/main', head])
  assert.notEqual(head, topic)
  const { action, workflow, workflow_run: run } = named?.payload ?? assert.fail()
  assert.deepEqual(
    [action, workflow.name, run.event, run.conclusion, run.head_branch],
    ['completed', 'Build', 'push', 'failure', 'topic'],
  )
  assert.equal(run.id, runs.find(({ workflow_file }) => workflow_file === 'build.yml')?.id)
})

test('runs that follow each other end after five', async () => {
  const repo = await startRepository(forge, 'chained')
  await repo.push({
    '.gitea/workflows/ci.yml': ci,
    '.gitea/workflows/loop.yml': after('{types: [requested]}'),
  })
  const runs = await runsOf(repo.id)
  const depths = runs.map(({ workflow_file, dispatch_depth }) => [workflow_file, dispatch_depth])
  assert.deepEqual(depths, [['ci.yml', 0], ...[1, 2, 3, 4, 5].map((depth) => ['loop.yml', depth])])
})

test('a run that the server started is followed, too, and one that is gone is not', async () => {
  const repo = await startRepository(forge, 'nightly')
  await repo.push({
    '.gitea/workflows/nightly.yml': `on: {schedule: [{cron: '0 3 * * *'}]}\n${job}`,
    '.gitea/workflows/then.yml': after('{workflows: [nightly.yml], types: [requested]}'),
  })
  await runsOf(repo.id)
  forge.clock.tick(24 * 3_600_000)
  await queueDueSchedules(pool, forge.make.begin, forge.clock.now())
  forge.app.workflows.wake()
  const started = async () =>
    (await runsOf(repo.id)).map(({ workflow_file, by_bot }) => [workflow_file, by_bot])
  const both = [
    ['nightly.yml', true],
    ['then.yml', true],
  ]
  assert.deepEqual(await started(), both)
  const payload = { action: 'requested', workflow: { name: 'nightly.yml' }, workflow_run: { id: 999_999 } }
  const gone = { kind: 'workflow_run', ref: '', before: null, after: null, actor_id: null, by_bot: false }
  await insertTriggers(pool, [{ repository_id: repo.id, ...gone, payload }], forge.clock.now())
  forge.app.workflows.wake()
  assert.deepEqual(await started(), both)
})

test('runs for which no workflow waits are not queued, also after another branch has changed', async () => {
  const repo = await startRepository(forge, 'alone')
  await repo.push({ '.gitea/workflows/ci.yml': ci })
  await runsOf(repo.id)
  const last = async () =>
    (await pool<{ last: number }[]>`select last_value as last from forge.action_trigger_id_seq`)[0]?.last ?? 0
  const before = await last()
  await repo.push({ 'README.md': 'more' }, { branch: 'topic' })
  assert.equal((await runsOf(repo.id)).length, 2)
  assert.equal(Number(await last()) - Number(before), 2, 'the branch was created, and pushed to')
})
