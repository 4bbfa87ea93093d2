import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimJob } from '../../../src/actions/run/job-store.ts'
import { waitingLabelKeys } from '../../../src/actions/runner/queue-store.ts'
import { siteScope } from '../../../src/actions/secrets/scope-store.ts'
import { startApp } from '../../support/app.ts'
import { onServer } from '../../support/database.ts'
import { bareRepository } from '../../support/forge/actions.ts'
import { plansOf, vacuumed } from '../../support/plans.ts'

const { pool, database, make } = await startApp()
const [ada, bob] = await make.people('ada', 'bob')
const mine = await bareRepository(pool, ada, 'mine')
const his = await bareRepository(pool, bob, 'his')

/** Runs of one job each; every hundredth job waits, for one of two kinds of runners. */
await pool`
  insert into forge.action_run
    (repository_id, number, workflow_file, title, event, payload, ref, commit_sha, status, created_at, updated_at)
  select ${his.id}, n, 'ci.yml', 'title', 'push', '{}', 'refs/heads/main', 'f', 'success', '2026-01-01', '2026-01-01'
  from generate_series(1, 20000) as n`
await pool`
  insert into forge.action_attempt (run_id, number, status, created_at, updated_at)
  select id, 1, status, created_at, updated_at
  from forge.action_run`
await pool`
  insert into forge.action_job
    (run_id, attempt, number, repository_id, name, key, runs_on, payload, status, created_at, updated_at)
  select id, 1, 1, repository_id, 'job', 'job', case when id % 200 = 0 then '{linux,gpu}' else '{linux}' end::text[],
    'yaml', case when id % 100 = 0 then 'queued' else 'success' end, created_at,
    updated_at + (20000 - id) * interval '1 second'
  from forge.action_run`
const oldest = 'select max(id) as id from forge.action_job where status = $1 and runs_on = $2'
const oldestOf = async (...labels: string[]) => (await pool.unsafe(oldest, ['queued', labels]))[0]?.id

const claim = (labels: string[], scope = siteScope) =>
  make.begin(async (tx) => {
    const [kind] = await waitingLabelKeys(tx, { scope, labels })
    return kind === undefined ? undefined : (await claimJob(tx, { scope, labels }, kind))?.id
  })

test('a runner gets the oldest job of all label sets that it matches', async () => {
  const [gpu, plain] = [await oldestOf('linux', 'gpu'), await oldestOf('linux')]
  assert.equal(await claim(['linux', 'gpu']), gpu)
  assert.equal(await claim(['linux', 'gpu']), plain)
  const next = await oldestOf('linux')
  assert.equal(await claim(['linux']), next)
  assert.equal(await claim(['gpu']), undefined)
  assert.equal(await claim([]), undefined)
  assert.equal(await claim(['linux'], { owner_id: ada.id, repository_id: null }), undefined)
  assert.equal(await claim(['linux'], { owner_id: null, repository_id: mine.id }), undefined)
  const last = await oldestOf('linux')
  assert.equal(await claim(['linux'], { owner_id: bob.id, repository_id: null }), last)
})

test('labels that differ only in punctuation are different', async () => {
  const [row] = await pool`
    select count(distinct forge.labels_key(labels::text[])) as kinds
    from (values ('{a,b}'), ('{"a,b"}'), ('{"a b"}'), ('{}'), ('{""}'), ('{b,a}')) as given (labels)`
  assert.equal(row?.kinds, 6)
})

test('a poll for work scans no whole table of jobs', {
  skip: !onServer && 'needs a PostgreSQL server',
}, async () => {
  await vacuumed(pool, 'action_job')
  const scopes = [
    siteScope,
    { owner_id: bob.id, repository_id: null },
    { owner_id: null, repository_id: his.id },
  ]
  for (const scope of scopes) {
    const plans = await plansOf(database, (sql) => waitingLabelKeys(sql, { scope, labels: ['other'] }))
    assert.equal(plans.length, 1)
    for (const plan of plans) assert.doesNotMatch(plan, /Seq Scan on action_job/, plan)
  }
})
