import assert from 'node:assert/strict'
import { until } from '../wait.ts'
import { type RunnerClient, rows, runnerClient } from './actions.ts'
import { settled, type TestForge, type TestRepository } from './workflows.ts'

/** What reports and needs call the ends of a job. */
export const [success, failure, cancelled] = [1, 2, 3]

/** Steps of a job of which no runner is to make anything. */
export const steps = 'steps: [{run: echo}]'

interface Job {
  id: number
  name: string
  status: string
  task: number | null
}

/** A run of which only its jobs matter: how it is begun, and what has become of it. */
export function runsIn(forge: Pick<TestForge, 'pool' | 'log'>, repo: TestRepository) {
  const { pool } = forge
  let made = 0
  const newestFile = () => `w${made}.yml`

  /** Pushes a workflow with these jobs; gives the run. */
  async function push(jobs: string, more = ''): Promise<number> {
    made++
    const source = `on: push\n${more}\njobs:\n${jobs.replace(/^/gm, '  ')}`
    await repo.git('rm', '-rqf', '--ignore-unmatch', '.gitea')
    await repo.push({ [`.gitea/workflows/${newestFile()}`]: source })
    await settled(forge)
    const [run] = await pool<{ id: number }[]>`
      select id from forge.action_run where workflow_file = ${newestFile()} order by id desc limit 1`
    assert.ok(run)
    return run.id
  }

  /** The jobs of the newest attempt, and what the run is. */
  async function look(
    run: number,
  ): Promise<{ status: string; attempt: number; jobs: Job[]; states: string }> {
    const jobs = await pool<Job[]>`
      select job.id, job.name, job.status, task.id as task
      from forge.action_job as job
      join forge.action_run as run on run.id = run_id and run.attempt = job.attempt
      left join forge.action_task as task on task.job_id = job.id
      where run.id = ${run}
      order by job.number`
    const [row] = await pool<{ status: string; attempt: number }[]>`
      select status, attempt from forge.action_run where id = ${run}`
    const states = jobs.map(({ name, status }) => `${name} ${status}`).join(', ')
    return { status: row?.status ?? 'gone', attempt: row?.attempt ?? 0, jobs, states }
  }

  return { push, look, newestFile }
}

/** Takes the next job for a runner, and gives what ends it. */
export async function take({ client }: { client: RunnerClient }) {
  const { task } = await client.fetchTask({ tasksVersion: 0n })
  assert.ok(task)
  return {
    task,
    end: (result: number) => client.updateTask({ state: { id: task.id, result } }),
  }
}

/** A runner that has registered with a token of a server, and started. */
export async function startedRunner(url: string, token: string, labels: string[]): Promise<RunnerClient> {
  const { runner } = await runnerClient(url, 'protobuf').register({
    name: 'r',
    token,
    labels,
    version: 'v3.3.0',
  })
  assert.ok(runner)
  const headers = { 'x-runner-uuid': runner.uuid, 'x-runner-token': runner.token }
  const client = runnerClient(url, 'protobuf', headers)
  await client.declare({ version: 'v3.3.0', labels, capabilities: ['cancelling'] })
  return client
}

/** The next task for a runner, once there is one. */
export const nextTask = (client: RunnerClient) =>
  until('a task', async () => (await client.fetchTask({ tasksVersion: 0n })).task?.id)

/** Takes the next job, of one step, and does it. */
export async function doNextJob(client: RunnerClient): Promise<void> {
  const id = await nextTask(client)
  await client.updateLog({ taskId: id, index: 0n, rows: rows('it turns'), noMore: true })
  const step = { id: 0n, result: success, logIndex: 0n, logLength: 1n }
  await client.updateTask({ state: { id, result: success, steps: [step] } })
}
