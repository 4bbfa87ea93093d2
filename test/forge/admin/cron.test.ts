import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openPool } from '../../../src/db/open.ts'
import { serveApp } from '../../support/app.ts'
import { openTestDatabase } from '../../support/database.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { bearer, makersFor } from '../../support/forge/make.ts'

/** Two servers on one database; the embedded one serves both through one session. */
const database = await openTestDatabase()
const ownPool = database.url === undefined ? database.pool : openPool({ url: database.url, poolSize: 5 })
const settings = {
  DATA_DIR: await temporaryFolder(),
  CRON: 'delete_old_audit_entries=@weekly',
  SESSION_MAX_AGE: '1h',
}
const app = await serveApp(database, settings)
const other = await serveApp({ ...database, pool: ownPool }, settings)
after(async () => {
  await Promise.all([app.close(), other.close()])
  if (ownPool !== database.pool) await ownPool.end({ timeout: 5 })
  await database.close()
})
const { call, clock, pool } = app
const { schedule } = app.app.tools
const make = makersFor(app)
const boss = await make.admin({ name: 'boss' })
const ada = await make.person({ name: 'ada' })

const list = 'GET /api/v1/admin/cron'
const run = 'POST /api/v1/admin/cron/{task}'
const show = 'GET /api/v1/admin/cron/{task}'
const zero = '0001-01-01T00:00:00Z'
const task = 'cleanup_hook_task_table'

const start = async (name: string, as: { authorization: string } = boss) =>
  (await call(run, { as, params: { task: name } })).status
const detail = async (name: string) => (await call(show, { as: boss, params: { task: name } })).body
const tasksOf = async (query: Record<string, string | number> = {}) => call(list, { as: boss, query })

test(`${list} has every task in order, in pages with a total and links`, async () => {
  const { status, body, headers } = await tasksOf({ limit: 50 })
  assert.equal(status, 200)
  assert.deepEqual(
    body.map(({ name, schedule }: { name: string; schedule: string }) => `${name} ${schedule}`),
    [
      'repo_health_check @midnight',
      'check_repo_stats @midnight',
      'archive_cleanup @midnight',
      'cleanup_hook_task_table @midnight',
      'cleanup_packages @midnight',
      'cleanup_artifacts @every 1h',
      'delete_inactive_accounts -',
      'git_gc_repos @every 72h',
      'reinit_missing_repos -',
      'delete_missing_repos -',
      'stop_zombie_tasks @every 5m',
      'stop_endless_tasks @every 30m',
      'stop_timed_out_tasks @every 1m',
      'cancel_abandoned_jobs @every 6h',
      'cleanup_actions @midnight',
      'cleanup_actions_runners @every 1h',
      'repair_repos @every 10m',
      'settle_repos @midnight',
      'repair_pushes @every 2m',
      'repair_merges @every 2m',
      'remove_pull_refs @every 1m',
      'delete_old_mails @every 24h',
      'delete_old_audit_entries @weekly',
      'end_forgotten_sessions @every 60s',
      'forget_idempotency_keys @every 1h',
      'sample_presence @every 10m',
      'publish_scheduled @every 15s',
      'empty_trash @every 6h',
    ],
  )
  assert.deepEqual(body[3], { name: task, schedule: '@midnight', next: zero, prev: zero, exec_times: 0 })
  assert.equal(headers.get('x-total-count'), String(body.length))
  assert.equal(headers.get('link'), null)
  const page = await tasksOf({ limit: 4, page: 3 })
  assert.match(page.headers.get('link') ?? '', /admin\/cron\?limit=4&page=4>; rel="next"/)
  assert.deepEqual(page.body, body.slice(8, 12))
  assert.equal(page.headers.get('x-total-count'), String(body.length))
  assert.deepEqual((await tasksOf({ page: 9 })).body, [])
})

test(`${list}, ${show} and ${run} are for administrators, under the scopes of the operation`, async () => {
  const reader = bearer(await make.token(boss, 'read:admin'))
  const outsider = bearer(await make.token(boss, 'write:user'))
  const params = { task }
  const all = [
    ['anonymous', undefined, 401, 401],
    ['no administrator', ada, 403, 403],
    ['a token that may read', reader, 200, 403],
    ['a token for something else', outsider, 403, 403],
  ] as const
  for (const [who, as, reads, runs] of all) {
    const caller = as === undefined ? {} : { as }
    assert.equal((await call(list, caller)).status, reads, who)
    assert.equal((await call(show, { ...caller, params })).status, reads, who)
    assert.equal((await call(run, { ...caller, params })).status, runs, who)
  }
  assert.equal((await detail(task)).exec_times, 0)
})

test(`${run} and ${show} know tasks by their exact names`, async () => {
  for (const name of ['nothing', 'Cleanup_Hook_Task_Table', `${task}\0`, '..', '%', "'"]) {
    assert.equal(await start(name), 404, name)
    assert.equal((await call(show, { as: boss, params: { task: name } })).status, 404, name)
  }
  assert.equal((await call(run, { as: ada, params: { task: 'nothing' } })).status, 403)
})

test(`${run} answers 204 when the task has begun, and the result is found under its name`, async () => {
  clock.tick(1)
  assert.equal(await start(task), 204)
  await schedule.idle()
  const prev = clock.now().toISOString()
  assert.deepEqual(await detail(task), {
    name: task,
    schedule: '@midnight',
    next: '2026-02-01T00:00:00Z',
    prev,
    exec_times: 1,
    running: false,
    last: {
      outcome: 'succeeded',
      message: '',
      finished: '2026-01-31T08:00:00Z',
      duration_ms: (await detail(task)).last.duration_ms,
    },
  })
  const rows = (await tasksOf()).body
  assert.deepEqual([rows[3].prev, rows[3].exec_times], [prev, 1])
  const deeds = await pool`select target_name, actor_name from forge.audit where action = 'cron.started'`
  assert.deepEqual([...deeds], [{ target_name: task, actor_name: 'boss' }])
})

test(`${run} works for a task that does not run by itself, and does not make it`, async () => {
  assert.equal(await start('delete_inactive_accounts'), 204)
  await schedule.idle()
  const { schedule: text, next, exec_times, last } = await detail('delete_inactive_accounts')
  assert.deepEqual([text, next, exec_times, last.outcome], ['-', zero, 1, 'succeeded'])
})

test(`${run} does not start a task that is running, here or in another process, and leaves no trace of it`, async () => {
  const before = (await detail(task)).exec_times
  const hold = await schedule.claim(pool, task)
  assert.ok(hold)
  const statuses = await Promise.all([
    start(task),
    other.call(run, { as: boss, params: { task } }).then(({ status }) => status),
  ])
  assert.deepEqual(statuses, [204, 204])
  const { exec_times, running } = await detail(task)
  assert.deepEqual([exec_times, running], [before + 1, true])
  schedule.launch(hold)
  await schedule.idle()
  assert.equal((await detail(task)).running, false)
  assert.equal((await pool`select from forge.audit where target_name = ${task}`).length, 1)
})

test(`${run} by many at once starts it in one process at a time`, async () => {
  const before = (await detail(task)).exec_times
  const statuses = await Promise.all(
    [app, other, app, other].map(async (at) => (await at.call(run, { as: boss, params: { task } })).status),
  )
  assert.deepEqual(statuses, [204, 204, 204, 204])
  await Promise.all([schedule.idle(), other.app.tools.schedule.idle()])
  const { exec_times } = await detail(task)
  const deeds = await pool`select from forge.audit where target_name = ${task}`
  assert.ok(exec_times > before)
  // The first start of all was under a hold of its own.
  assert.equal(deeds.length, exec_times - 1)
})

test('a task that fails shows that, and is due again', async () => {
  await pool`alter table forge.hook_delivery rename to hook_delivery_away`
  assert.equal(await start(task), 204)
  await schedule.idle()
  await pool`alter table forge.hook_delivery_away rename to hook_delivery`
  const { last, next } = await detail(task)
  assert.equal(last.outcome, 'failed')
  assert.match(last.message, /hook_delivery/)
  assert.equal(next, '2026-02-01T00:00:00Z')
})

test('two servers keep one schedule, which a restart of both does not forget', async () => {
  const both = [schedule, other.app.tools.schedule]
  const settle = async () => {
    await Promise.all(both.map((each) => each.check()))
    await Promise.all(both.map((each) => each.idle()))
  }
  await Promise.all(both.map((each) => each.start({ alone: false })))
  await settle()
  const before = (await detail('check_repo_stats')).exec_times
  clock.tick(24 * 3_600_000)
  other.clock.tick(24 * 3_600_000)
  await settle()
  const { exec_times, next } = await detail('check_repo_stats')
  assert.deepEqual([exec_times, next], [before + 1, '2026-02-02T00:00:00Z'])
  const third = await serveApp(database, settings)
  const shown = await third.call(show, { as: boss, params: { task: 'check_repo_stats' } })
  assert.deepEqual([shown.body.exec_times, shown.body.next], [exec_times, next])
  await third.close()
})
