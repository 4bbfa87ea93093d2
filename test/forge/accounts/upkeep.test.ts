import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { drawLook } from '../../../src/forge/repos/repo-query-store.ts'
import { updateMeasured } from '../../../src/forge/repos/repo-store.ts'
import { insertDeliveries } from '../../../src/forge/webhooks/delivery/delivery-store.ts'
import { insertHook } from '../../../src/forge/webhooks/hook-store.ts'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { hookDraft } from '../../support/forge/hooks.ts'
import { type Somebody, testSecrets } from '../../support/forge/make.ts'
import { clientOk } from '../../support/git.ts'

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: folder, SESSION_MAX_AGE: '1h' })
const { call, clock, pool, log } = app
const { schedule } = app.app.tools
const { begin, ...make } = app.make
const boss = await make.admin({ name: 'boss' })
const ada = await make.person({ name: 'ada' })
const day = 24 * 3_600_000

/** Runs a task to its end; returns its result. */
async function runTask(task: string): Promise<{ outcome: string; message: string }> {
  const params = { task }
  assert.equal((await call('POST /api/v1/admin/cron/{task}', { as: boss, params })).status, 204)
  await schedule.idle()
  const { body } = await call('GET /api/v1/admin/cron/{task}', { as: boss, params })
  return { outcome: body.last.outcome, message: body.last.message }
}

const done = (message: string) => ({ outcome: 'succeeded', message })
const at = (name: string, ...more: string[]) => join(folder, 'repositories', 'ada', `${name}.git`, ...more)
const create = async (name: string) => {
  const created = await call('POST /api/v1/user/repos', { as: ada, body: { name, auto_init: true } })
  assert.equal(created.status, 201)
}
const remove = (repo: string) =>
  call('DELETE /api/v1/repos/{owner}/{repo}', { as: ada, params: { owner: 'ada', repo } })
const show = (repo: string) =>
  call('GET /api/v1/repos/{owner}/{repo}', { as: ada, params: { owner: 'ada', repo } })
const deeds = (action: string) => pool`
  select actor_name, target_name
  from forge.audit
  where action = ${action} and actor_name = 'cron task'
  order by id`

test('check_repo_stats measures size, branches and licences anew, and leaves what somebody has looked at later', async () => {
  await create('measured')
  const { body: before } = await show('measured')
  await pool`update forge.repository set size = 1, branch_count = 7, is_empty = true, licenses = '{Old}' where key = 'measured'`
  assert.deepEqual(await runTask('check_repo_stats'), done('1 corrected'))
  const { body } = await show('measured')
  assert.deepEqual(body, before)
  assert.deepEqual(await runTask('check_repo_stats'), done(''))
  const earlier = { size: 1, is_empty: true, branch_count: 0, licenses: [], look: await drawLook(pool) }
  const later = { size: 2, is_empty: true, branch_count: 0, licenses: [], look: await drawLook(pool) }
  assert.equal(await updateMeasured(pool, body.id, later), true)
  assert.equal(await updateMeasured(pool, body.id, earlier), false)
  assert.deepEqual(await runTask('check_repo_stats'), done('1 corrected'))
  assert.deepEqual((await show('measured')).body, before)
})

test('a commit by API adds to the size what it has written, so that measuring corrects nothing', async () => {
  await create('grown')
  const at = { owner: 'ada', repo: 'grown' }
  const write = async (filepath: string, content: string) => {
    const body = { content: Buffer.from(content).toString('base64') }
    const route = 'POST /api/v1/repos/{owner}/{repo}/contents/{filepath...}'
    assert.equal((await call(route, { as: ada, params: { ...at, filepath }, body })).status, 201)
  }
  const size = async () => {
    const [row] = await pool`select size from forge.repository where key = 'grown'`
    return Number(row?.size)
  }
  const before = await size()
  await write('a/file', randomBytes(10_000).toString('hex'))
  const grown = (await size()) - before
  assert.ok(grown > 10_000 && grown < 14_000, `${grown} bytes`)
  // The content is in the repository already.
  await write('b', 'same')
  await write('c', 'same')
  const counted = await size()
  assert.deepEqual(await runTask('check_repo_stats'), done(''), `${counted} instead of ${await size()}`)
  assert.equal((await remove('grown')).status, 204)
})

test('git_gc_repos packs what lies loose, and a repository is the same before and after', async () => {
  const work = join(folder, 'work')
  await clientOk(folder, 'clone', '-q', at('measured'), work)
  for (const name of ['a', 'b', 'c']) {
    writeFileSync(join(work, name), name)
    await clientOk(work, 'add', '.')
    await clientOk(work, 'commit', '-qm', name)
    await clientOk(work, 'push', '-q', 'origin', 'HEAD')
  }
  const loose = () => readdirSync(at('measured', 'objects')).filter((name) => /^[0-9a-f]{2}$/.test(name))
  assert.ok(loose().length > 0)
  const head = await clientOk(at('measured'), 'rev-parse', 'main')
  assert.deepEqual(await runTask('git_gc_repos'), done('1 packed'))
  assert.deepEqual(loose(), [])
  const packs = readdirSync(at('measured', 'objects', 'pack')).filter((name) => name.endsWith('.pack'))
  assert.equal(packs.length, 1)
  assert.equal(await clientOk(at('measured'), 'rev-parse', 'main'), head)
  await clientOk(at('measured'), 'fsck', '--strict')
  const { size } = (await pool`select size from forge.repository where key = 'measured'`)[0] ?? {}
  assert.equal(size, await app.app.tools.gitService.repositories.bytes({ owner: 'ada', name: 'measured' }))
  assert.deepEqual(await runTask('git_gc_repos'), done(''), 'there is nothing left to pack')
})

test('git_gc_repos leaves a repository alone whose configuration names a program for it', async () => {
  const sprung = join(folder, 'sprung')
  await clientOk(at('measured'), 'config', 'gc.recentObjectsHook', `touch ${sprung}`)
  await clientOk(at('measured'), 'config', '--add', 'gc.recentObjectsHook', '')
  writeFileSync(join(folder, 'loose'), 'loose')
  await clientOk(at('measured'), 'hash-object', '-w', join(folder, 'loose'))
  const refused = { outcome: 'failed', message: '0 packed; failed: ada/measured' }
  assert.deepEqual(await runTask('git_gc_repos'), refused)
  assert.ok(!existsSync(sprung))
  await clientOk(at('measured'), 'config', '--unset-all', 'gc.recentObjectsHook')
  assert.deepEqual(await runTask('git_gc_repos'), done('1 packed'))
})

test('repo_health_check reads every repository and names the damaged ones', async () => {
  assert.deepEqual(await runTask('repo_health_check'), done('1 sound'))
  await create('damaged')
  const packs = readdirSync(at('damaged', 'objects', 'pack'))
  for (const name of packs) rmSync(at('damaged', 'objects', 'pack', name), { force: true })
  const checked = await runTask('repo_health_check')
  assert.deepEqual(checked, { outcome: 'failed', message: '1 of 2 damaged: ada/damaged' })
  const line = log.lines().find(({ repository }) => repository === 'ada/damaged')
  assert.equal(line?.level, 'error')
  await remove('damaged')
})

test('archive_cleanup removes what was left unfinished a day ago, and nothing newer', async () => {
  const temporary = join(folder, 'repositories', '.temporary')
  const lay = (name: string, age: number) => {
    mkdirSync(join(temporary, name), { recursive: true })
    writeFileSync(join(temporary, name, 'HEAD'), 'x')
    const seconds = (clock.now().getTime() - age) / 1000
    utimesSync(join(temporary, name), seconds, seconds)
  }
  lay('old.git', day + 1000)
  lay('new.git', day - 1000)
  assert.deepEqual(await runTask('archive_cleanup'), done('1 removed'))
  assert.deepEqual(readdirSync(temporary), ['new.git'])
})

test('repair_repos brings to its end what a crash left ten minutes ago', async () => {
  await create('half')
  await pool`update forge.repository set state = 'making' where key = 'half'`
  assert.deepEqual(await runTask('repair_repos'), done(''))
  assert.equal((await show('half')).status, 404)
  clock.tick(11 * 60_000)
  assert.deepEqual(await runTask('repair_repos'), done('1 repaired'))
  assert.equal((await show('half')).status, 200)
  assert.deepEqual(
    [...(await deeds('repository.created'))],
    [{ actor_name: 'cron task', target_name: 'ada/half' }],
  )
  await remove('half')
})

test('settle_repos moves directories that a crash left under a former name, unless the place is occupied', async () => {
  for (const name of ['former', 'quick', 'waiting']) await create(name)
  await pool`update forge.repository set name = 'today' where key = 'former'`
  await pool`update forge.repository set name = 'slow' where key = 'quick'`
  // The disk was quicker than the database.
  renameSync(at('quick'), at('slow'))
  await pool`update forge.repository set name = 'taken' where key = 'waiting'`
  mkdirSync(at('taken'))
  assert.deepEqual(await runTask('settle_repos'), done('2 moved'))
  assert.ok(existsSync(at('today')) && !existsSync(at('former')))
  assert.ok(log.lines().some(({ message, count }) => /former directory/.test(String(message)) && count === 1))
  const folders =
    await pool`select folder_name from forge.repository where key in ('slow', 'taken') order by key`
  assert.deepEqual(
    folders.map((row) => row.folder_name),
    ['slow', 'waiting'],
  )
  rmSync(at('taken'), { recursive: true })
  assert.deepEqual(await runTask('settle_repos'), done('1 moved'))
  for (const name of ['today', 'slow', 'taken']) await remove(name)
})

test('the directory of a renamed repository is moved when another repository takes its name', async () => {
  await create('wanted')
  await pool`update forge.repository set name = 'aside' where key = 'wanted'`
  await create('wanted')
  assert.ok(existsSync(at('aside')) && existsSync(at('wanted')))
  for (const name of ['aside', 'wanted']) await remove(name)
})

test('reinit_missing_repos makes an empty repository where the directory has vanished, and only there', async () => {
  await create('lost')
  const { body: kept } = await show('measured')
  rmSync(at('lost'), { recursive: true })
  assert.deepEqual(await runTask('reinit_missing_repos'), done('1 recreated, empty'))
  const { body } = await show('lost')
  assert.deepEqual([body.empty, body.branch_count, body.default_branch], [true, 0, 'main'])
  assert.equal(await clientOk(at('lost'), 'rev-parse', '--is-bare-repository'), 'true')
  assert.deepEqual((await show('measured')).body, kept)
  assert.equal((await deeds('repository.made_anew')).length, 1)
  assert.deepEqual(await runTask('reinit_missing_repos'), done(''))
})

test('delete_missing_repos deletes rows whose directory has vanished, and says so', async () => {
  rmSync(at('lost'), { recursive: true })
  await pool`delete from forge.event`
  assert.deepEqual(await runTask('delete_missing_repos'), done('1 deleted'))
  assert.equal((await pool`select from forge.repository where key = 'lost'`).length, 0)
  assert.equal((await show('measured')).status, 200)
  assert.equal((await deeds('repository.deleted')).length, 1)
  assert.equal((await pool`select from forge.event where payload::text like '%"deleted"%'`).length, 1)
  assert.equal((await call('POST /api/v1/user/repos', { as: ada, body: { name: 'lost' } })).status, 201)
  await remove('lost')
})

test('nothing is taken for missing when the whole disk is', async () => {
  const root = join(folder, 'repositories')
  renameSync(root, `${root}.away`)
  for (const task of ['reinit_missing_repos', 'delete_missing_repos']) {
    const { outcome, message } = await runTask(task)
    assert.equal(outcome, 'failed')
    assert.match(message, /none of 1 repositories has a directory/)
  }
  assert.ok(!existsSync(root))
  renameSync(`${root}.away`, root)
  assert.equal((await show('measured')).status, 200)
})

test('cleanup_hook_task_table removes deliveries a week after they were finished', async () => {
  const hook = await begin((tx) => insertHook(tx, testSecrets, hookDraft('http://example.com/')))
  const one = { hook_id: hook.id, event: 'push', event_type: 'push', body: '{}' }
  const ids = await begin((tx) =>
    insertDeliveries(
      tx,
      Array.from({ length: 2500 }, () => one),
      tx.now,
    ),
  )
  const finished = (count: number, age: number) => pool`
    update forge.hook_delivery
    set state = 'succeeded', finished_at = ${new Date(clock.now().getTime() - age)}
    where id = any(${ids.splice(0, count)}::bigint[])`
  await finished(2300, 7 * day + 1)
  await finished(100, 7 * day - 1)
  assert.deepEqual(await runTask('cleanup_hook_task_table'), done('2300 removed'))
  const left =
    await pool`select state, count(*) as count from forge.hook_delivery group by state order by state`
  assert.deepEqual(
    [...left],
    [
      { state: 'succeeded', count: 100 },
      { state: 'waiting', count: 100 },
    ],
  )
  await pool`delete from forge.hook_delivery`
})

test('delete_old_audit_entries forgets what is older than a year', async () => {
  const deed = (age: number) => pool`
    insert into forge.audit (at, actor_name, action, target_kind, target_name, address)
    values (${new Date(clock.now().getTime() - age)}, 'x', 'test.done', 'test', 'x', '')`
  await deed(366 * day)
  await deed(364 * day)
  assert.deepEqual(await runTask('delete_old_audit_entries'), done('1 deleted'))
  assert.equal((await pool`select from forge.audit where action = 'test.done'`).length, 1)
})

test('end_forgotten_sessions ends sessions that are older than SESSION_MAX_AGE', async () => {
  const start = (username: string) => call('POST /api/stats/session/start', { body: { username } })
  await start('old')
  clock.tick(3_600_000 - 1)
  await start('new')
  clock.tick(2)
  assert.deepEqual(await runTask('end_forgotten_sessions'), done('1 ended'))
  const { body } = await call('GET /api/stats/users')
  assert.deepEqual(
    body.map(({ username }: { username: string }) => username),
    ['new'],
  )
})

test('delete_inactive_accounts deletes people who are inactive for a week and own nothing', async () => {
  const people: Record<string, Somebody> = {}
  for (const name of ['active', 'idle', 'owner', 'member', 'inactiveadmin', 'recent'])
    people[name] = await make.person({ name, is_admin: name === 'inactiveadmin' })
  const { owner, member } = people
  assert.ok(owner && member)
  await call('POST /api/v1/user/repos', { as: owner, body: { name: 'mine' } })
  await make.organization(member, { name: 'club' })
  await pool`
    update forge.account set is_active = false, updated_at = ${clock.now()} where name in
      ('idle', 'owner', 'member', 'inactiveadmin')`
  await make.bot({ name: 'robot' })
  await pool`update forge.account set is_active = false, updated_at = ${clock.now()} where name in ('robot', 'club')`
  assert.deepEqual(await runTask('delete_inactive_accounts'), done(''))
  clock.tick(7 * day + 1)
  await pool`update forge.account set is_active = false, updated_at = ${clock.now()} where name = 'recent'`
  assert.deepEqual(await runTask('delete_inactive_accounts'), done('1 deleted'))
  const left = await pool<{ name: string }[]>`select name from forge.account order by name`
  const names = left.map(({ name }) => name)
  assert.ok(!names.includes('idle'))
  for (const name of ['active', 'owner', 'member', 'inactiveadmin', 'recent', 'robot', 'club', 'ada', 'boss'])
    assert.ok(names.includes(name), name)
  assert.deepEqual([...(await deeds('user.deleted'))], [{ actor_name: 'cron task', target_name: 'idle' }])
})
