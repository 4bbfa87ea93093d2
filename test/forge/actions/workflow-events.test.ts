import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRunner } from '../../support/forge/actions.ts'
import { settled, startForge, startRepository } from '../../support/forge/workflows.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/wait.ts'

const forge = await startForge()
const { call, ada } = forge
const repo = await startRepository(forge, 'tool')
const receiver = await startReceiver()

interface Heard {
  event: string
  action: string
  what: string
  conclusion: string | undefined
}

/** What came, in the order of the events. */
const heard = (): Heard[] =>
  receiver.received.map(({ headers, body }) => {
    const { action, workflow_job: job, workflow_run: run, repository, sender } = JSON.parse(body)
    assert.equal(repository.full_name, 'ada/tool')
    assert.equal(sender.login, 'ada')
    const { name = 'run', conclusion, status } = job ?? { ...run, name: 'run' }
    return { event: String(headers['x-gitea-event']), action, what: `${name} ${status}`, conclusion }
  })

test('webhooks receive runs and jobs in the status of the event', async () => {
  const wish = { type: 'gitea', active: true, events: ['workflow_run', 'workflow_job'] }
  const config = { url: receiver.url, content_type: 'json' }
  const params = { owner: 'ada', repo: 'tool' }
  const made = await call('POST /api/v1/repos/{owner}/{repo}/hooks', {
    as: ada,
    params,
    body: { ...wish, config },
  })
  assert.equal(made.status, 201)
  const steps = 'steps: [{run: echo}]'
  await repo.push({
    '.gitea/workflows/ci.yml': `on: push\njobs: {a: {runs-on: x, ${steps}}, b: {needs: a, runs-on: x, ${steps}}}`,
  })
  await settled(forge)
  const runner = await startRunner(forge, { labels: ['x'] })
  for (const result of [1, 2]) {
    forge.clock.tick(1000)
    const { task } = await runner.client.fetchTask({ tasksVersion: 0n })
    await runner.client.updateTask({ state: { id: task?.id ?? 0n, result } })
  }
  await until('everything was heard', () => receiver.received.length >= 11)
  const list = heard()
  const of = (event: string) =>
    list
      .filter((each) => each.event === event)
      .map(({ action, what, conclusion }) => `${action}: ${what} ${conclusion ?? ''}`.trim())
  assert.deepEqual(of('workflow_run').sort(), [
    'completed: run completed failure',
    'in_progress: run in_progress',
    'requested: run requested',
  ])
  assert.deepEqual(of('workflow_job').sort(), [
    'completed: a completed success',
    'completed: b completed failure',
    'in_progress: a in_progress',
    'in_progress: b in_progress',
    'queued: a queued',
    'queued: b queued',
    'waiting: a pending',
    'waiting: b requested',
  ])
})
