import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { after, test } from 'node:test'
import { openPool } from '../../src/db/open.ts'
import { onServer, openTestDatabase } from '../support/database.ts'
import { openProxy } from '../support/proxy.ts'
import { held, until } from '../support/wait.ts'

// What postgres.js is patched for (src/build/patches/postgres).

const skip = !onServer && 'the embedded database has no line that could be cut'
const database = await openTestDatabase(1)
after(() => database.close())

/** A pool behind a line of its own. */
async function behindProxy(poolSize: number, statementTimeout = 60_000) {
  const proxy = await openProxy(database.url ?? '')
  const pool = openPool({ url: proxy.url, poolSize, statementTimeout })
  after(async () => {
    await pool.end({ timeout: 0 })
    await proxy.close()
  })
  return { proxy, pool }
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

test('connections that are lost under load are made again at once, and none is poisoned', {
  skip,
}, async () => {
  const { pool, proxy } = await behindProxy(5)
  const codes = new Set<string>()
  let going = true
  let answered = 0
  const clients = Array.from({ length: 20 }, async () => {
    while (going) {
      try {
        await pool`select ${1}::int`
        answered++
      } catch (error) {
        codes.add(codeOf(error))
      }
    }
  })
  after(() => {
    going = false
  })
  for (let round = 0; round < 20; round++) {
    const before = answered
    await until('queries are answered', () => answered > before + 200)
    if (round % 2) {
      await proxy.cut()
      await proxy.mend()
    } else {
      await database.pool`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`
    }
  }
  going = false
  await Promise.all(clients)
  assert.ok(codes.size > 0, 'connections were lost')
  // A poisoned connection would only ever time out while connecting.
  assert.equal(codes.has('CONNECT_TIMEOUT'), false, [...codes].join())
})

test('the first query after a lost connection does not hear of the loss', { skip }, async () => {
  const { pool } = await behindProxy(1)
  for (let round = 0; round < 5; round++) {
    const [session] = await pool<[{ pid: number }]>`select pg_backend_pid() as pid`
    const lost = assert.rejects(pool`select pg_sleep(60)`)
    await until('it runs', async () => {
      const [row] = await database.pool`
        select from pg_stat_activity where pid = ${session.pid} and query like '%pg_sleep%' and state = 'active'`
      return row
    })
    await database.pool`select pg_terminate_backend(${session.pid})`
    await lost
    assert.deepEqual([...(await pool`select 1 as one`)], [{ one: 1 }])
  }
})

for (const [how, end] of [
  ['ended by the server', (pid: number) => database.pool`select pg_terminate_backend(${pid})`],
  ['cut', undefined],
] as const) {
  test(`what a transaction asks after its connection was ${how} runs nowhere`, { skip }, async () => {
    const { pool, proxy } = await behindProxy(1)
    await pool`create table if not exists public.written (what text)`
    await pool`truncate public.written`
    const closed = held<void>()
    const codes: string[] = []
    const transaction = pool.begin(async (sql) => {
      await sql`insert into public.written values ('before')`
      const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`
      if (end) await end(pid)
      else {
        await proxy.cut()
        await proxy.mend()
      }
      await closed.promise
      for (let at = 0; at < 3; at++) {
        await sql`insert into public.written values ('after')`.catch((error) => codes.push(codeOf(error)))
      }
    })
    await assert.rejects(transaction)
    await pool.begin(async (sql) => {
      await sql`insert into public.written values ('another')`
      closed.resolve()
      await until('the lost transaction has asked', () => codes.length === 3)
      await sql`insert into public.written values ('another')`
    })
    const rows = await pool`select what from public.written`
    assert.deepEqual(
      rows.map(({ what }) => what),
      ['another', 'another'],
    )
  })
}

test('a server that closes while it is being connected to fails the query', { skip }, async () => {
  const { pool, proxy } = await behindProxy(1)
  await proxy.cut()
  await assert.rejects(pool`select 1`)
  await proxy.mend()
  proxy.hangUp()
  await assert.rejects(pool`select 1`, { code: 'CONNECTION_CLOSED' })
  proxy.carry()
  await until('it is reached', () =>
    pool`select 1`.then(
      () => true,
      () => false,
    ),
  )
})

test('a server that does not answer is given up', { skip }, async () => {
  const { pool, proxy } = await behindProxy(1, 1000)
  await pool`select 1`
  proxy.swallow()
  await assert.rejects(pool`select 1`, { code: 'CONNECTION_CLOSED' })
  proxy.carry()
  assert.deepEqual([...(await pool`select 1 as one`)], [{ one: 1 }])
})

test('a connection that owes nothing may be silent', { skip }, async () => {
  const { pool } = await behindProxy(1, 400)
  const pid = async () => (await pool<[{ pid: number }]>`select pg_backend_pid() as pid`)[0].pid
  const first = await pid()
  // Longer than the bound on silence, which is half as long again as that on statements.
  await database.pool`select pg_sleep(1)`
  assert.equal(await pid(), first)
})

test('a transaction that stands still loses its locks, and its process goes on with another connection', {
  skip,
}, async () => {
  const { pool: still } = await behindProxy(1, 300)
  const [begun, going] = [held<void>(), held<void>()]
  const standing = assert.rejects(
    still.begin(async (sql) => {
      await sql`select pg_advisory_xact_lock(42)`
      begun.resolve()
      await going.promise
      await sql`select 1`
    }),
  )
  await begun.promise
  await database.pool`select pg_advisory_xact_lock(42)`
  going.resolve()
  await standing
  assert.deepEqual([...(await still`select 1 as one`)], [{ one: 1 }])
})

test('a stream that has room again lets no other statement into the transaction that stands there', {
  skip,
}, async (t) => {
  const sockets: Socket[] = []
  const { connect } = Socket.prototype
  t.mock.method(Socket.prototype, 'connect', function (this: Socket, ...options: Parameters<typeof connect>) {
    sockets.push(this)
    return connect.apply(this, options)
  })
  const { pool } = await behindProxy(1)
  const inTransaction = () =>
    pool<[{ id: string | null }]>`select pg_current_xact_id_if_assigned()::text as id`
  const [id, other] = await pool.begin(async (sql) => {
    const [mine] = await sql<[{ id: string }]>`select pg_current_xact_id()::text as id`
    const waiting = inTransaction().execute()
    for (const socket of sockets) socket.emit('drain')
    await sql`select pg_sleep(0.05)`
    return [mine.id, { waiting }] as const
  })
  const [row] = await other.waiting
  assert.notEqual(id, null)
  assert.equal(row.id, null)
})
