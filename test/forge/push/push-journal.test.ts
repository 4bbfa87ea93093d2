import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import { beginFor } from '../../../src/db/begin.ts'
import type { Begin } from '../../../src/db/sql.ts'
import { accountById } from '../../../src/forge/accounts/account-store.ts'
import { insertPush } from '../../../src/forge/push/journal-store.ts'
import { type PushContext, publishPush } from '../../../src/forge/push/push.ts'
import { repairPushes } from '../../../src/forge/push/recovery.ts'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { clientOk } from '../../support/git.ts'

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: join(folder, 'data') })
const { call, clock, pool } = app
const { tools } = app.app
const { begin, ...make } = app.make
const ada = await make.person({ name: 'ada' })
const zero = '0'.repeat(40)
const requestId = 'the-push'
const day = 24 * 3_600_000

/** A repository with one commit, and what a push of tags to it would be. */
async function repositoryOf(name: string, count: number) {
  const body = { name, auto_init: true }
  const created = await call('POST /api/v1/user/repos', { as: ada, body })
  const path = join(folder, 'data', 'repositories', 'ada', `${name}.git`)
  const id = await clientOk(path, 'rev-parse', 'main')
  const updates = Array.from({ length: count }, (_, at) => ({
    ref: `refs/tags/t${at}`,
    before: zero,
    after: id,
  }))
  await pool`delete from forge.event`
  return { repository: created.body.id as number, path, updates }
}

async function entered(repository: number, updates: Parameters<typeof publishPush>[1]): Promise<PushContext> {
  const sender = await accountById(pool, ada.id)
  assert.ok(sender)
  const push = randomUUID()
  const now = clock.now()
  assert.deepEqual(
    await insertPush(pool, {
      push,
      repository,
      account: ada.id,
      updates,
      now,
      requestId,
      leftBefore: null,
    }),
    [],
  )
  const by = { caller: { me: sender }, from: { address: '', id: requestId } }
  const parties = { owner: sender, sender, by, host: tools.root }
  return { sql: pool, begin, tools, push, repository, ...parties, isOver: true, isReportedByGit: true }
}

/** Refs of the pushes that were told of, sorted. */
const told = async () => {
  const rows = await pool<{ ref: string }[]>`
    select payload ->> 'ref' as ref
    from forge.event
    where kind = 'ref.updated'
    order by payload ->> 'ref'`
  return rows.map(({ ref }) => ref)
}
const untold = async () => (await pool`select from forge.push_journal`).length
const repair = () =>
  repairPushes(
    { sql: pool, begin, tools, log: tools.log },
    new Date(clock.now().getTime() + 1),
    new AbortController().signal,
  )
const refsOf = (updates: readonly { ref: string }[]) => updates.map(({ ref }) => ref).sort()

test('a push of very many refs that is interrupted between two transactions is published completely, each ref once', async () => {
  const { repository, path, updates } = await repositoryOf('half', 250)
  for (const { ref, after } of updates) await clientOk(path, 'update-ref', ref, after)
  const pushing = await entered(repository, updates)
  let transactions = 0
  const breaking: Begin = (work) => {
    if (++transactions === 2) throw new Error('the database has gone')
    return begin(work)
  }
  await assert.rejects(publishPush({ ...pushing, begin: breaking }, updates), /the database has gone/)
  assert.deepEqual([(await told()).length, await untold()], [100, 150])
  assert.equal(await repair(), 1)
  assert.deepEqual(await told(), refsOf(updates))
  assert.deepEqual([await untold(), await repair()], [0, 0])
})

test('two processes publish each ref of a push once', async () => {
  const { repository, path, updates } = await repositoryOf('twice', 3)
  for (const { ref, after } of updates) await clientOk(path, 'update-ref', ref, after)
  const pushing = await entered(repository, updates)
  await Promise.all([publishPush(pushing, updates), repair(), repair()])
  assert.deepEqual(await told(), refsOf(updates))
  assert.equal(await untold(), 0)
})

test('a ref that has not moved stays in the journal for a day, and is published if it moves', async () => {
  const { repository, path, updates } = await repositoryOf('slow', 2)
  await entered(repository, updates)
  const [first, second] = updates
  assert.ok(first && second)
  await clientOk(path, 'update-ref', first.ref, first.after)
  assert.equal(await repair(), 1)
  clock.tick(day - 1)
  assert.equal(await repair(), 0)
  assert.deepEqual([await told(), await untold()], [[first.ref], 1])
  await clientOk(path, 'update-ref', second.ref, second.after)
  assert.equal(await repair(), 1)
  assert.deepEqual([await told(), await untold()], [refsOf(updates), 0])
  await entered(repository, [{ ...first, ref: 'refs/tags/never' }])
  clock.tick(day - 1)
  assert.deepEqual([await repair(), await untold()], [0, 1])
  clock.tick(1)
  assert.deepEqual([await repair(), await untold()], [0, 0])
})

test('a push that another request publishes has the id of its own request, and none from the release before', async () => {
  const { repository, path, updates } = await repositoryOf('named', 2)
  for (const { ref, after } of updates) await clientOk(path, 'update-ref', ref, after)
  const deps = { sql: pool, begin: beginFor('another', begin), tools, log: tools.log }
  for (const [at, update] of updates.entries()) {
    await entered(repository, [update])
    if (at === 1) await pool`update forge.push_journal set request_id = null`
    assert.equal(
      await repairPushes(deps, new Date(clock.now().getTime() + 1), new AbortController().signal),
      1,
    )
  }
  const events = await pool<{ request_id: string | null }[]>`
    select request_id from forge.event where kind = 'ref.updated' order by id`
  assert.deepEqual(
    events.map(({ request_id }) => request_id),
    [requestId, null],
  )
})

test('a push that fails, or whose repository is deleted, leaves nothing in the journal', async () => {
  const { repository, updates } = await repositoryOf('gone', 1)
  await entered(repository, updates)
  const params = { owner: 'ada', repo: 'gone' }
  assert.equal((await call('DELETE /api/v1/repos/{owner}/{repo}', { as: ada, params })).status, 204)
  assert.equal(await untold(), 0)
  const draft = {
    push: randomUUID(),
    repository,
    account: ada.id,
    updates,
    now: clock.now(),
    requestId,
    leftBefore: null,
  }
  assert.equal(await insertPush(pool, draft), undefined)
})

test('publishing a published push again leaves a later push of the same ref unpublished', async () => {
  const { repository, path, updates } = await repositoryOf('back', 1)
  const [update] = updates
  assert.ok(update)
  const { ref, after: id } = update
  const back = [{ ref, before: id, after: zero }]
  const first = await entered(repository, updates)
  await clientOk(path, 'update-ref', ref, id)
  assert.equal(await repair(), 1)
  const second = await entered(repository, back)
  await clientOk(path, 'update-ref', '-d', ref)
  await publishPush(second, back)
  await entered(repository, updates)
  await publishPush(first, updates)
  await clientOk(path, 'update-ref', ref, id)
  assert.equal(await repair(), 1)
  assert.deepEqual([await told(), await untold()], [[ref, ref, ref], 0])
})

test('an update that another push has made is published when git reports it, not because the ref is there', async () => {
  const { repository, path, updates } = await repositoryOf('twins', 1)
  const slow = await entered(repository, updates)
  const quick = await entered(repository, updates)
  const [update] = updates
  await clientOk(path, 'update-ref', update?.ref ?? '', update?.after ?? '')
  await publishPush(quick, updates)
  assert.deepEqual([(await told()).length, await untold(), await repair()], [1, 1, 0])
  await publishPush({ ...slow, isOver: false, isReportedByGit: false }, updates)
  assert.deepEqual([(await told()).length, await untold()], [1, 1])
  await publishPush(slow, updates)
  assert.deepEqual([(await told()).length, await untold()], [2, 0])
  await entered(repository, updates)
  await publishPush(await entered(repository, updates), updates)
  clock.tick(day)
  assert.deepEqual([await repair(), await untold()], [0, 0], 'it is forgotten after a day')
})

test('a push in progress that brings the default branch last keeps it, although others publish what has moved', async () => {
  const body = { name: 'empty', default_branch: 'main' }
  const { id } = (await call('POST /api/v1/user/repos', { as: ada, body })).body
  const path = join(folder, 'data', 'repositories', 'ada', 'empty.git')
  const tree = await clientOk(path, 'hash-object', '-w', '-t', 'tree', '/dev/null')
  const after = await clientOk(path, 'commit-tree', '-m', 'x', tree)
  const updates = ['a0', 'a1', 'main'].map((name) => ({ ref: `refs/heads/${name}`, before: zero, after }))
  await pool`delete from forge.event`
  const context = await entered(id, updates)
  await clientOk(path, 'update-ref', 'refs/heads/a0', after)
  await repair()
  assert.deepEqual(await told(), ['refs/heads/a0'])
  for (const { ref } of updates) await clientOk(path, 'update-ref', ref, after)
  await publishPush(context, updates)
  assert.deepEqual(
    await told(),
    updates.map(({ ref }) => ref),
  )
  const [row] = await pool`select default_branch from forge.repository where id = ${id}`
  assert.equal(row?.default_branch, 'main')
  assert.equal(await clientOk(path, 'symbolic-ref', 'HEAD'), 'refs/heads/main')
})
