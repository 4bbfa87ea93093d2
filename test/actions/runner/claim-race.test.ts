import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Result } from '../../../src/actions/runner/protocol/messages.ts'
import { openPool } from '../../../src/db/open.ts'
import { serveApp } from '../../support/app.ts'
import { openTestDatabase } from '../../support/database.ts'
import { bareRepository, putRun, startRunner, type TestRunner } from '../../support/forge/actions.ts'
import { makersFor } from '../../support/forge/make.ts'

/** Servers that share nothing but a database; the embedded one serves all of them through one session. */
const database = await openTestDatabase()
const poolOf = () =>
  database.url === undefined ? database.pool : openPool({ url: database.url, poolSize: 5 })
const servers = await Promise.all(
  [1, 2, 3, 4].map(async () => {
    const pool = poolOf()
    return { ...(await serveApp({ ...database, pool })), pool }
  }),
)
after(async () => {
  await Promise.all(servers.map((server) => server.close()))
  for (const { pool } of servers) if (pool !== database.pool) await pool.end({ timeout: 5 })
  await database.close()
})
const { pool } = database
const [first] = servers
if (!first) throw new Error('no server')
const make = makersFor(first)
const ada = await make.person({ name: 'ada' })

/** Takes jobs and ends them, until none is left; gives the ids of its tasks. */
async function work({ client }: TestRunner): Promise<bigint[]> {
  const done: bigint[] = []
  let known = 0n
  for (let idle = 0; idle < 3; ) {
    const { task, tasksVersion } = await client.fetchTask({ tasksVersion: known })
    known = task ? 0n : tasksVersion > known ? tasksVersion : known
    if (!task) {
      idle++
      continue
    }
    idle = 0
    done.push(task.id)
    const { state } = await client.updateTask({ state: { id: task.id, result: Result.success } })
    assert.equal(state?.result, Result.success)
  }
  return done
}

test('twenty runners at four servers take each of two hundred jobs once', async () => {
  const runs: number[] = []
  for (const name of ['one', 'two']) {
    const { id } = await bareRepository(pool, ada, name)
    for (let n = 0; n < 5; n++) {
      const jobs = Array.from({ length: 20 }, (_, place) => ({ key: `job${place}`, steps: ['Run it'] }))
      runs.push((await putRun(pool, id, ada.id, jobs)).run)
    }
  }
  const runners = await Promise.all(
    Array.from({ length: 20 }, (_, n) => startRunner(servers[n % 4] ?? first, { name: `runner${n}` })),
  )
  const tasks = (await Promise.all(runners.map(work))).flat()
  assert.equal(tasks.length, 200)
  assert.equal(new Set(tasks).size, 200)
  const jobs = await pool<{ status: string; tasks: number }[]>`
    select job.status, count(task.id) as tasks
    from forge.action_job as job
    left join forge.action_task as task on task.job_id = job.id
    group by job.id`
  assert.ok(jobs.every(({ status, tasks }) => status === 'success' && tasks === 1))
  const ended =
    await pool`select id from forge.action_run where status = 'success' and id = any(${runs}::bigint[])`
  assert.equal(ended.length, 10)
})

test('thirty ephemeral runners take thirty jobs and are removed', async () => {
  const { id } = await bareRepository(pool, ada, 'leaving')
  const jobs = Array.from({ length: 30 }, (_, place) => ({ key: `job${place}` }))
  const { run } = await putRun(pool, id, ada.id, jobs)
  const runners = await Promise.all(
    Array.from({ length: 30 }, (_, n) =>
      startRunner(servers[n % 4] ?? first, { name: `once${n}`, ephemeral: true }),
    ),
  )
  await Promise.all(
    runners.map(async ({ client }) => {
      for (let tries = 0; tries < 20; tries++) {
        const { task } = await client.fetchTask({})
        if (task) return client.updateTask({ state: { id: task.id, result: Result.success } })
      }
      return assert.fail('a runner for one job got none, though there is one for each')
    }),
  )
  const [row] = await pool`select status from forge.action_run where id = ${run}`
  assert.equal(row?.status, 'success')
  assert.equal(
    (await pool`select id from forge.action_runner where ephemeral and deleted_at is null`).length,
    0,
  )
})
