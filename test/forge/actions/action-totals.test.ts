import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Selection, selectionOf } from '../../../src/actions/run/api-status.ts'
import { BOT_ID } from '../../../src/actions/run/bot.ts'
import { pageOfJobs } from '../../../src/forge/actions/job-list-store.ts'
import { pageOfRuns } from '../../../src/forge/actions/run-list-store.ts'
import { startApp } from '../../support/app.ts'
import { onServer } from '../../support/database.ts'
import { actionsIn } from '../../support/forge/actions.fixtures.ts'
import { makersFor } from '../../support/forge/make.ts'
import { plansOf, scannedIn } from '../../support/plans.ts'

const { pool, clock, database } = await startApp()
const make = makersFor({ pool, clock })
const actions = actionsIn(pool)
const ada = await make.person()

const paging = { page: 1, limit: 50 }
const noFilter = { event: '', branch: '', actor: undefined, head_sha: '' }

/** The stored totals, folded or not, and those that are counted; without zeros. */
async function storedAndCounted() {
  const stored = await pool<{ key: string; amount: number }[]>`
    select concat_ws(' ', kind, repository_id, status, event) as key, sum(amount)::bigint as amount
    from (
      select kind, repository_id, status, event, amount from forge.action_tally
      union all
      select kind, repository_id, status, event, difference from forge.action_tally_change
      union all
      select kind, 0, status, event, difference from forge.action_tally_change
    ) as stored
    group by key having sum(amount) <> 0 order by key`
  const counted = await pool<{ key: string; amount: number }[]>`
    select concat_ws(' ', kind, repository_id, status, event) as key, count(*) as amount
    from (
      select 'job' as kind, repository_id, status, '' as event from forge.action_job
      union all
      select 'job', 0, status, '' from forge.action_job
      union all
      select 'run', repository_id, status, event from forge.action_run
      union all
      select 'run', 0, status, event from forge.action_run
    ) as counted
    group by key order by key`
  return { stored: stored.map((row) => ({ ...row })), counted: counted.map((row) => ({ ...row })) }
}

async function holdExact(): Promise<void> {
  const { stored, counted } = await storedAndCounted()
  assert.deepEqual(stored, counted)
}

test('totals are exact under concurrent changes, folded or not', async () => {
  const repositories = await Promise.all(['a', 'b', 'c'].map((name) => actions.repository(ada, name)))
  const runs: Parameters<typeof actions.job>[0]['run'][] = []
  for (const repository of repositories)
    for (const event of ['push', 'schedule']) runs.push(await actions.run({ repository, event }))
  for (const run of runs) for (let n = 0; n < 20; n++) await actions.job({ run })
  await holdExact()
  const states = ['in_progress', 'success', 'failure', 'queued', 'cancelling'] as const
  await Promise.all(
    Array.from({ length: 8 }, async (_, worker) => {
      for (let turn = 0; turn < 40; turn++) {
        const status = states[(turn * 7 + worker) % states.length] ?? 'in_progress'
        await make.begin(async (tx) => {
          await tx`update forge.action_job set status = ${status} where id % 40 = ${(turn * 3 + worker) % 40}`
          await tx`update forge.action_run set status = ${status} where id = ${runs[worker % runs.length]?.id ?? 0}`
          if (turn % 10 === 0) await tx`select forge.fold_action_tally()`
        })
      }
    }),
  )
  await holdExact()
  await pool`select forge.fold_action_tally()`
  assert.equal((await pool`select id from forge.action_tally_change`).length, 0)
  await holdExact()
})

test('a rollback changes no total, and a deletion leaves none', async () => {
  const [run] = await pool<{ id: number }[]>`select id from forge.action_run order by id limit 1`
  await make
    .begin(async (tx) => {
      await tx`update forge.action_job set status = 'skipped'`
      await tx`select forge.fold_action_tally()`
      throw new Error('undone')
    })
    .catch(() => {})
  await holdExact()
  await pool`delete from forge.action_run where id = ${run?.id ?? 0}`
  await holdExact()
  await pool`delete from forge.repository where owner_id = ${ada.id}`
  await pool`select forge.fold_action_tally()`
  assert.equal((await pool`select kind from forge.action_tally`).length, 0)
})

test('many changes fold themselves, so that few are left to be added up', async () => {
  const run = await actions.run({ repository: await actions.repository(ada, 'busy') })
  const job = await actions.job({ run })
  for (let turn = 0; turn < 1000; turn++) {
    const status = turn % 2 ? 'queued' : 'in_progress'
    await pool`update forge.action_job set status = ${status} where id = ${job}`
  }
  const left = (await pool`select id from forge.action_tally_change`).length
  // That none of a thousand folds has a chance of one in half a billion.
  assert.ok(left < 1000, `${left} are left`)
  await holdExact()
  await pool`delete from forge.repository where owner_id = ${ada.id}`
})

test('lists and totals of many runs and jobs are served by indexes', { skip: !onServer }, async () => {
  const orgs = [await make.organization(ada), await make.organization(ada)]
  for (const org of orgs) for (let n = 0; n < 10; n++) await actions.repository(org, `many${n}`)
  await pool`
    insert into forge.action_run (repository_id, number, workflow_file, title, actor_id, event, payload, ref,
      commit_sha, status, created_at, updated_at)
    select repository.id, n, 'ci.yml', 't', case when n % 50 = 0 then ${ada.id}::bigint end,
      case when n % 50 = 0 then 'schedule' else 'push' end, '{}', 'refs/heads/b' || n % 90, md5((n % 900)::text),
      case when n % 200 = 0 then 'queued' when n % 5 = 0 then 'failure' else 'success' end, ${clock.now()}, ${clock.now()}
    from forge.repository, generate_series(1, 2000) as n`
  await pool`
    insert into forge.action_attempt (run_id, number, status, created_at, updated_at)
    select id, 1, status, created_at, updated_at from forge.action_run`
  await pool`
    insert into forge.action_job (run_id, attempt, number, repository_id, name, key, status, created_at, updated_at)
    select id, 1, n, repository_id, 'job', 'job', status, created_at, updated_at
    from forge.action_run, generate_series(1, 3) as n`
  await pool`vacuum analyze`
  const selected = (...statuses: string[]) => {
    const selection = selectionOf(statuses)
    assert.ok('statuses' in selection)
    return selection satisfies Selection
  }
  const [org] = orgs
  const member = { owner: org?.id ?? 0, viewer: 1, publicOnly: false }
  const scopes = ['everything', member] as const
  const selections = [undefined, selected('queued'), selected('completed'), selected('pending', 'queued')]
  const filters = [
    noFilter,
    { ...noFilter, event: 'schedule' },
    { ...noFilter, branch: 'b7' },
    { ...noFilter, actor: ada.id },
    { ...noFilter, actor: BOT_ID },
    { ...noFilter, head_sha: 'c4ca4238a0b923820dcc509a6f75849b' },
  ]
  for (const scope of scopes)
    for (const selection of selections) {
      const listing = { scope, selection, paging }
      const plans = await plansOf(database, async (sql) => {
        for (const by of ['asc', 'desc'] as const) await pageOfJobs(sql, { ...listing, by })
        for (const filter of filters) await pageOfRuns(sql, listing, filter)
      })
      assert.ok(plans.length >= 7)
      for (const plan of plans) {
        const scanned = scannedIn(plan).filter((table) => /^action_(?:job|run|attempt)$/.test(table))
        assert.deepEqual(scanned, [], `${JSON.stringify({ scope, selection })}\n${plan}`)
      }
    }
})
