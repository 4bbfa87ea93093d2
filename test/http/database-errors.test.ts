import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import postgres from 'postgres'
import { openPool } from '../../src/db/open.ts'
import {
  isRejectedByServer,
  isUnavailable,
  mapConstraints,
  problemFromDatabaseError,
} from '../../src/http/database-errors.ts'
import { openTestDatabase } from '../support/database.ts'

const database = await openTestDatabase()
const { pool } = database
after(() => database.close())

/** The error of a statement that must fail. */
async function errorOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work
  } catch (error) {
    return error
  }
  return assert.fail('the statement succeeded')
}

const raise = (state: string) =>
  errorOf(pool.unsafe(`do $$ begin raise sqlstate '${state}' using message = 'raised'; end $$`))

for (const [state, status, message] of [
  ['08006', 503, 'the database is away'],
  ['22001', 400, 'a value cannot be stored'],
  ['22003', 400, 'a value cannot be stored'],
  ['22021', 400, 'a value cannot be stored'],
  ['23502', 409, 'the change conflicts with what is stored'],
  ['23503', 404, 'not found'],
  ['23505', 409, 'the change conflicts with what is stored'],
  ['25006', 503, 'the database is read-only'],
  ['28P01', 503, 'the database does not accept the connection'],
  ['3D000', 503, 'the database does not accept the connection'],
  ['40001', 503, 'the database is busy'],
  ['40P01', 503, 'the database is busy'],
  ['53100', 503, 'the database is out of resources'],
  ['53300', 503, 'the database is out of resources'],
  ['54000', 400, 'a value cannot be stored'],
  ['55P03', 503, 'the database is busy'],
  ['57014', 503, 'the database is away'],
  ['57P01', 503, 'the database is away'],
  ['57P03', 503, 'the database is away'],
  ['58030', 503, 'the database has a fault of its machine'],
] as const) {
  test(`SQLSTATE ${state} is a ${status}, and the log says why`, async () => {
    const problem = problemFromDatabaseError(await raise(state), {})
    assert.deepEqual([problem?.status, problem?.message], [status, message])
    assert.equal(problem?.extra.log, `${state} raised`)
    assert.equal(problem?.extra.headers?.['Retry-After'] !== undefined, status === 503)
  })
}

for (const state of ['42601', '42P01', '42703', '25P02', '0A000', 'XX000', 'P0001']) {
  test(`SQLSTATE ${state} is ours: no refusal`, async () => {
    assert.equal(problemFromDatabaseError(await raise(state), {}), undefined)
  })
}

for (const [code, message, isRefused = false] of [
  ['55000', 'database "forgehall" is not currently accepting connections'],
  ['25P03', 'terminating connection due to idle-in-transaction timeout'],
  ['25P04', 'terminating connection due to transaction timeout'],
  ['42501', 'permission denied for database "forgehall"', true],
  ['22023', 'invalid value for parameter', true],
  ['42704', 'unrecognized configuration parameter', true],
  ['55P02', 'parameter cannot be changed without restarting the server', true],
  ['0A000', 'unsupported frontend protocol'],
  ['XX000', 'cache lookup failed'],
] as const) {
  test(`SQLSTATE ${code} is a 503 if it ends the connection`, () => {
    const fields = { code, message, severity: 'FATAL', severity_local: 'FATAL' }
    const error = Object.assign(new postgres.PostgresError(message), fields)
    assert.deepEqual(
      [problemFromDatabaseError(error, {})?.status, isRejectedByServer(error)],
      [503, isRefused],
    )
    assert.notEqual(problemFromDatabaseError({ ...error, severity: 'ERROR' }, {})?.status, 503)
  })
}

test('a database that accepts no connections is a 503', {
  skip: !process.env.DATABASE_URL && 'one engine has no other databases',
}, async () => {
  const name = 'forgehall_without_connections'
  await pool.unsafe(`create database ${name} allow_connections false`)
  const url = new URL(process.env.DATABASE_URL ?? '')
  url.pathname = name
  const closed = openPool({ url: url.href, poolSize: 1 })
  const error = await errorOf(closed`select 1`)
  await closed.end({ timeout: 1 })
  await pool.unsafe(`drop database ${name}`)
  assert.equal(problemFromDatabaseError(error, {})?.status, 503)
})

test('a constraint that the route knows has its own status and sentence', async () => {
  const conflicts = { media_item_type_known: [422, 'no such type'], other: [400, 'other'] } as const
  const error = await errorOf(pool`
    insert into site.media_item (title, media_type, url, created_at) values ('a', 'b', 'c', now())`)
  const problem = problemFromDatabaseError(error, conflicts)
  assert.deepEqual([problem?.status, problem?.message], [422, 'no such type'])
  assert.match(problem?.extra.log ?? '', /^23514 /)
  assert.equal(problemFromDatabaseError(error, {})?.status, 409)
})

test('a refusal in words of the request stands for its constraint and for nothing else', async () => {
  const bad = () =>
    pool`insert into site.media_item (title, media_type, url, created_at) values ('a', 'b', 'c', now())`
  const conflicts = { media_item_type_known: [422, 'b is no type'] } as const
  const said = await errorOf(mapConstraints(bad(), conflicts))
  assert.equal(said instanceof Error && said.message, 'b is no type')
  const unsaid = await errorOf(mapConstraints(bad(), { other: [422, 'other'] }))
  assert.equal(problemFromDatabaseError(unsaid, {})?.status, 409)
  assert.equal(await mapConstraints(Promise.resolve(1), conflicts), 1)
  await assert.rejects(mapConstraints(Promise.reject(new Error('other')), conflicts), /^Error: other$/)
  await assert.rejects(mapConstraints(pool`select nothing`, conflicts), /nothing/)
})

test('names of the language itself are no constraints and no states', async () => {
  const error = await errorOf(
    pool.unsafe(`do $$ begin raise sqlstate '23505' using message = 'x', constraint = 'toString'; end $$`),
  )
  assert.equal(problemFromDatabaseError(error, {})?.status, 409)
})

test('a text that cannot be stored is refused by the database as a 400, should it ever get there', async () => {
  const error = await errorOf(pool`select ${'a\0b'}::text`)
  assert.equal(problemFromDatabaseError(error, {})?.status, 400)
})

test('a database that is not reached is a 503', async () => {
  const nowhere = openPool({ url: 'postgres://nobody@127.0.0.1:1/none', poolSize: 1 })
  const problem = problemFromDatabaseError(await errorOf(nowhere`select 1`), {})
  await nowhere.end({ timeout: 1 })
  assert.equal(problem?.status, 503)
  assert.equal(problem?.extra.headers?.['Retry-After'], '1')
})

for (const code of [
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
]) {
  test(`${code} is a 503`, () => {
    assert.equal(problemFromDatabaseError(Object.assign(new Error('gone'), { code }), {})?.status, 503)
  })
}

for (const code of ['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_HAS_EXPIRED']) {
  test(`${code} is a 503, and no use waiting for`, () => {
    const error = Object.assign(new Error('distrusted'), { code })
    assert.deepEqual(
      [problemFromDatabaseError(error, {})?.message, isUnavailable(error), isRejectedByServer(error)],
      ['the database cannot be trusted', true, true],
    )
  })
}

test('anything else is no refusal', () => {
  for (const error of [
    new Error('x'),
    new TypeError('y'),
    Object.assign(new Error('z'), { code: 'EACCES' }),
    'text',
    null,
    undefined,
  ]) {
    assert.equal(problemFromDatabaseError(error, {}), undefined)
  }
})
