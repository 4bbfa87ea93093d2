import assert from 'node:assert/strict'
import type { TestApp } from '../app.ts'
import { bareRepository, putRun, startRunner, type TestRunner } from './actions.ts'
import type { Somebody } from './make.ts'

/** A job that a runner has fetched, and what its steps get of it. */
export interface RunningJob {
  repository: { id: number; name: string }
  run: number
  job: number
  /** `ACTIONS_RUNTIME_TOKEN`, as a header. */
  as: { authorization: string }
  runner: TestRunner
  /** Ends the task as its runner would. */
  end: () => Promise<void>
}

/** Starts the first job of a new run, in a new repository unless there is one. */
export async function startJob(
  app: Pick<TestApp, 'url' | 'pool'>,
  owner: Somebody,
  wish: { name?: string; repository?: { id: number; name: string }; jobs?: number } = {},
): Promise<RunningJob> {
  const repository = wish.repository ?? (await bareRepository(app.pool, owner, wish.name))
  const { run, jobs } = await putRun(
    app.pool,
    repository.id,
    owner.id,
    Array.from({ length: wish.jobs ?? 1 }, () => ({})),
  )
  return fetchJob(app, { repository, run, job: jobs[0] ?? 0 })
}

/** Lets a new runner fetch the next job of a run. */
export async function fetchJob(
  app: Pick<TestApp, 'url' | 'pool'>,
  { repository, run, job }: Pick<RunningJob, 'repository' | 'run' | 'job'>,
): Promise<RunningJob> {
  const runner = await startRunner(app, { scope: { owner_id: null, repository_id: repository.id } })
  const { task } = await runner.client.fetchTask({ tasksVersion: 0n })
  assert.ok(task, 'there is a job')
  const token = task.context?.gitea_runtime_token
  return {
    repository,
    run,
    job,
    as: { authorization: `Bearer ${token}` },
    runner,
    end: async () => {
      const stopped = { seconds: 1_769_846_500n, nanos: 0 }
      await runner.client.updateTask({ state: { id: task.id, result: 1, stoppedAt: stopped } })
    },
  }
}
