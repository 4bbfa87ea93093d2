import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Actor, record } from '../../../src/forge/audit/audit-trail.ts'
import { Origin } from '../../../src/http/server/origin.ts'
import { startApp } from '../../support/app.ts'
import { onServer } from '../../support/database.ts'
import { basic, bearer } from '../../support/forge/make.ts'
import { until } from '../../support/wait.ts'

const app = await startApp()
const { call, clock, pool } = app
const { begin, ...make } = app.make

const boss = await make.admin({ name: 'Boss' })
const ada = await make.person({ name: 'ada' })
const list = 'GET /api/v1/admin/audit'
const around = { root: 'http://x/', isRootSet: true, proxies: { trusts: () => false } }
const from = new Origin(undefined, 'request-1', around)
const byBoss: Actor = { caller: { me: boss, impersonator: undefined }, from }

const entries = async (query: Record<string, string | number> = {}) =>
  (await call(list, { as: boss, query })).body.entries

test('an action adds an entry with who, when, what, on whom and from where', async () => {
  await begin((tx) =>
    record(tx, byBoss, {
      action: 'user.created',
      target: { kind: 'user', id: ada.id, name: 'ada' },
      details: { full_name: 'Ada \'L\' \\ "x"' },
    }),
  )
  assert.deepEqual(await entries(), [
    {
      id: 1,
      at: '2026-01-31T08:00:00Z',
      actor: { id: boss.id, name: 'Boss' },
      acting_as: '',
      action: 'user.created',
      target: { kind: 'user', id: ada.id, name: 'ada' },
      address: '',
      request_id: 'request-1',
      details: { full_name: 'Ada \'L\' \\ "x"' },
    },
  ])
})

test('through sudo the administrator is the one who did it, and the other is named', async () => {
  await begin((tx) =>
    record(
      tx,
      { caller: { me: ada, impersonator: boss }, from },
      { action: 'key.added', target: { kind: 'key', name: 'x' } },
    ),
  )
  const [entry] = await entries({ action: 'key.added' })
  assert.deepEqual(
    [entry.actor.name, entry.acting_as, entry.target],
    ['Boss', 'ada', { kind: 'key', id: 0, name: 'x' }],
  )
})

test('an entry of the command line has no caller', async () => {
  await begin((tx) =>
    record(tx, 'command line', { action: 'user.edited', target: { kind: 'user', name: 'Ada' } }),
  )
  const [entry] = await entries({ actor: 'command line' })
  assert.deepEqual([entry.actor, entry.address, entry.request_id], [{ id: 0, name: 'command line' }, '', ''])
})

test('an action that is rolled back leaves no entry', async () => {
  const before = (await entries()).length
  await assert.rejects(
    begin(async (tx) => {
      await record(tx, byBoss, { action: 'user.deleted', target: { kind: 'user', name: 'ada' } })
      throw new Error('no')
    }),
  )
  assert.equal((await entries()).length, before)
})

test('GET /admin/audit filters by actor, target, action and time, and pages by cursor', async () => {
  clock.tick(3_600_000)
  for (let at = 0; at < 7; at++) {
    await begin((tx) =>
      record(tx, byBoss, { action: 'org.edited', target: { kind: 'org', id: at, name: 'Guild' } }),
    )
  }
  assert.equal((await entries({ target: 'guild' })).length, 7)
  assert.equal((await entries({ target: 'guild', actor: 'BOSS', action: 'org.edited' })).length, 7)
  assert.equal((await entries({ target: 'guild', action: 'org.created' })).length, 0)
  assert.equal((await entries({ since: '2026-01-31T09:00:00Z' })).length, 7)
  assert.equal((await entries({ before: '2026-01-31T09:00:00Z' })).length, 3)
  assert.equal((await entries({ since: '2026-01-31T09:00:00.001Z' })).length, 0)
  const seen: number[] = []
  let cursor: number | null = 0
  for (let page = 0; cursor !== null && page < 9; page++) {
    const { body } = await call(list, { as: boss, query: { target: 'Guild', limit: 3, cursor } })
    seen.push(...body.entries.map((entry: { target: { id: number } }) => entry.target.id))
    cursor = body.next
  }
  assert.deepEqual(seen, [6, 5, 4, 3, 2, 1, 0])
})

test('each entry is a line of the log after the commit, without details', async () => {
  const lines = () => app.log.lines().filter(({ message }) => message === 'audit')
  const before = lines().length
  const body = {
    username: 'lined',
    email: 'lined@forge.example',
    password: 'not-in-the-log-1',
    full_name: 'not-in-the-log-2',
  }
  const create = (id: string) =>
    call('POST /api/v1/admin/users', { as: boss, headers: { 'x-request-id': id }, body })
  assert.equal((await create('line-1')).status, 201)
  assert.equal((await create('line-2')).status, 409)
  const written = await until('the line is written', () => lines().slice(before)[0])
  const { time, target_id, address, ...rest } = written
  assert.deepEqual(rest, {
    level: 'info',
    message: 'audit',
    id: 'line-1',
    action: 'user.created',
    actor: 'Boss',
    target_kind: 'user',
    target: 'lined',
  })
  const [entry] = await entries({ target: 'lined' })
  assert.deepEqual([target_id, address], [entry.target.id, entry.address])
  await until('all lines are written', () => app.log.lines().some(({ id }) => id === 'line-2'))
  assert.equal(lines().length, before + 1)
  assert.doesNotMatch(JSON.stringify(app.log.lines()), /not-in-the-log/)
})

test('GET /admin/audit refuses invalid times, and accepts anything else', async () => {
  for (const query of [{ since: 'yesterday' }, { before: '2026-01-31' }]) {
    assert.equal((await call(list, { as: boss, query })).status, 422)
  }
  for (const query of [
    { limit: 'x', cursor: '' },
    { limit: -1, cursor: -1 },
    { limit: 1e9 },
    { actor: "' or 1=1 --" },
    { action: '%' },
  ]) {
    assert.equal((await call(list, { as: boss, query })).status, 200)
  }
})

test('GET /admin/audit is for administrators with the scope for it', async () => {
  const statusOf = async (as?: { authorization: string }) => (await call(list, as && { as })).status
  assert.equal(await statusOf(), 401)
  assert.equal(await statusOf(ada), 403)
  assert.equal(await statusOf(basic('boss')), 200)
  assert.equal(await statusOf(bearer(await make.token(boss, 'read:admin'))), 200)
  assert.equal(await statusOf(bearer(await make.token(boss, 'write:user', 'write:organization'))), 403)
})

test('the trail is read through an index under every filter', { skip: !onServer }, async () => {
  await pool`
    insert into forge.audit (at, actor_name, action, target_kind, target_name, address)
    select ${clock.now()}::timestamptz + n * interval '1 second', 'user' || n % 100, 'user.edited', 'user', 'target' || n, ''
    from generate_series(1, 5000) as n`
  await pool.unsafe('analyze forge.audit')
  for (const filter of [
    "lower(actor_name) = 'user7'",
    "lower(target_name) = 'target9'",
    "at >= '2030-01-01'",
    'id < 100',
  ]) {
    const plan = await pool.unsafe(
      `explain select id from forge.audit where ${filter} order by id desc limit 31`,
    )
    assert.doesNotMatch(plan.map((row) => row['QUERY PLAN']).join('\n'), /Seq Scan/, filter)
  }
})
