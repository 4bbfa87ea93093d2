import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { after, before, suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/embedded-postgres/embedded-postgres.ts'
import { PGLITE_RELEASE } from '../../src/embedded-postgres/pglite.ts'
import { message } from '../../src/embedded-postgres/protocol.ts'
import { temporaryFolder } from '../support/folder.ts'
import { longest } from '../support/wait.ts'
import { parts } from './parts.ts'

const CHILD = fileURLToPath(new URL('./writer.child.js', import.meta.url))

/** Starts PostgreSQL in the subfolder `postgres`, since the folder itself must not exist yet. */
const startIn = (dataDir: string) => startEmbeddedPostgres({ folder: join(dataDir, 'postgres'), parts })

function client(embedded: EmbeddedPostgres, connection: { application_name?: string } = {}): postgres.Sql {
  const options = {
    connection,
    // The types of the driver lack it, so the options are a value of their own.
    socket: () => embedded.connect(),
    max: 1,
    max_lifetime: null,
    onnotice: () => {},
    fetch_types: false,
  }
  return postgres(options)
}

test('the installed PGlite is the release whose inside is used', async () => {
  const manifest = JSON.parse(await readFile('node_modules/@electric-sql/pglite/package.json', 'utf8'))
  assert.equal(manifest.version, PGLITE_RELEASE, 'see the list in src/embedded-postgres/pglite.ts')
})

suite('one open server', { timeout: longest }, () => {
  let dataDir: string
  let embedded: EmbeddedPostgres
  let sql: postgres.Sql

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'forgehall-embedded-'))
    embedded = await startIn(dataDir)
    sql = client(embedded)
  })

  after(async () => {
    await sql.end()
    await embedded.close()
    await rm(dataDir, { recursive: true })
  })

  test('syncs: fsync is on, by the method that reaches the disk', async () => {
    const [row] = await sql`
      select current_setting('fsync') as fsync, current_setting('wal_sync_method') as method,
        current_setting('synchronous_commit') as commit, current_setting('full_page_writes') as pages`
    assert.deepEqual({ ...row }, { fsync: 'on', method: 'fsync', commit: 'on', pages: 'on' })
  })

  test('speaks UTC and UTF-8, sorts by code point, folds the case of all letters', async () => {
    const [row] = await sql`
      select current_setting('TimeZone') as zone, current_setting('server_encoding') as encoding,
        to_json(array(select x from unnest(array['b', 'a', 'Z', 'ä', 'z']) x order by x)) as sorted, lower('ÄÖЖ') as lower`
    const expected = { zone: 'UTC', encoding: 'UTF8', sorted: ['Z', 'a', 'b', 'z', 'ä'], lower: 'äöж' }
    assert.deepEqual({ ...row }, expected)
  })

  test('answers pipelined statements each with its own rows', async () => {
    const answers = await Promise.all(Array.from({ length: 500 }, (_, i) => sql`select ${i}::int as i`))
    assert.deepEqual(
      answers.map(([row]) => row?.i),
      Array.from({ length: 500 }, (_, i) => i),
    )
  })

  test('goes on after an error, alone and between pipelined statements', async () => {
    const results = await Promise.allSettled([sql`select 1 as n`, sql`select 1 / 0`, sql`select 2 as n`])
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    await assert.rejects(sql`select * from nowhere`, { code: '42P01' })
  })

  test('takes and gives large values', async () => {
    const text = 'x'.repeat(20_000_000)
    const [row] = await sql`select length(${text}) as length, repeat('y', 20000000) as reply`
    assert.equal(row?.length, text.length)
    assert.equal(row?.reply.length, 20_000_000)
  })

  test('copies in and out, more than fits in any buffer', async () => {
    await sql`create table copied (n int, filling text)`
    const lines = Array.from({ length: 50_000 }, (_, i) => `${i}\t${'f'.repeat(500)}\n`)
    await pipeline(Readable.from(lines), await sql`copy copied from stdin`.writable())
    const [row] = await sql`select count(*)::int as count, sum(n)::int as sum from copied`
    assert.deepEqual({ ...row }, { count: 50_000, sum: 1_249_975_000 })
    let bytes = 0
    for await (const chunk of await sql`copy copied to stdout`.readable()) bytes += chunk.length
    assert.equal(bytes, lines.join('').length)
  })

  test('reads by cursor', async () => {
    let rows = 0
    await sql`select * from generate_series(1, 10000)`.cursor(1000, (part) => {
      rows += part.length
    })
    assert.equal(rows, 10_000)
  })

  test('keeps the event loop free while a statement runs', async () => {
    let ticks = 0
    const timer = setInterval(() => {
      ticks += 1
    }, 1)
    await sql`select count(*) from generate_series(1, 1000000)`
    clearInterval(timer)
    assert.ok(ticks > 3, `${ticks} ticks`)
  })

  test('refuses a second connection and goes on serving the first', async () => {
    await sql`select 1`
    const second = client(embedded)
    await assert.rejects(second`select 1`, { code: 'ECONNREFUSED', message: /one connection at a time/ })
    await second.end()
    assert.equal((await sql`select 1 as n`)[0]?.n, 1)
  })

  test('ignores a request to cancel and answers the statement', async () => {
    const slow = sql`select count(*)::int as n from generate_series(1, 1000000)`.execute()
    await new Promise((resolve) => setTimeout(resolve, 5))
    slow.cancel()
    const [row] = await slow
    assert.equal(row?.n, 1_000_000)
  })
})

test('a new connection finds nothing of the one before', { timeout: longest }, async () => {
  const embedded = await startIn(await temporaryFolder())
  const first = client(embedded, { application_name: 'first' })
  assert.equal((await first`show application_name`)[0]?.application_name, 'first')
  await first`create table t (n int)`
  await first`create temporary table leftover (n int)`
  await first`set work_mem = '1MB'`
  await first`select ${1}::int`
  await first.reserve().then((reserved) => reserved`begin`.then(() => reserved`insert into t values (1)`))
  await first.end({ timeout: 0 })

  const second = client(embedded)
  const [row] = await second`
    select (select count(*)::int from t) as rows, current_setting('work_mem') as memory,
      to_regclass('leftover') as leftover,
      (select count(*)::int from pg_prepared_statements where statement like '%::int') as prepared`
  await second.end()
  await embedded.close()
  assert.deepEqual({ ...row }, { rows: 0, memory: '4MB', leftover: null, prepared: 0 })
})

test('a connection that vanishes in the middle of a COPY leaves nothing behind', {
  timeout: longest,
}, async () => {
  const embedded = await startIn(await temporaryFolder())
  const first = client(embedded)
  await first`create table t (n int)`
  const copy = await first`copy t from stdin`.writable()
  copy.on('error', () => {})
  copy.write('1\n2\n')
  await first.end({ timeout: 0 })

  const second = client(embedded)
  const [row] = await second`select count(*)::int as n from t`
  await second.end()
  await embedded.close()
  assert.equal(row?.n, 0)
})

test('everything is there after a clean stop', {
  timeout: longest,
}, async () => {
  const dataDir = await temporaryFolder()
  const embedded = await startIn(dataDir)
  const sql = client(embedded)
  await sql`create table t as select generate_series(1, 1000) as n`
  await sql.end()
  await embedded.close()

  const again = await startIn(dataDir)
  const sqlAgain = client(again)
  assert.equal((await sqlAgain`select count(*)::int as n from t`)[0]?.n, 1000)
  await sqlAgain.end()
  await again.close()
})

test('a clean stop leaves nothing that keeps the process alive', { timeout: longest }, async () => {
  const dataDir = await temporaryFolder()
  const kinds = () => new Set(process.getActiveResourcesInfo())
  const before = kinds()
  const embedded = await startIn(dataDir)
  const sql = client(embedded)
  await sql`select 1`
  assert.ok(kinds().has('MessagePort'))
  await sql.end()
  await embedded.close()
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(
    [...kinds()].filter((kind) => !before.has(kind)),
    [],
  )
})

test('stopping while a statement runs on does not wait for it', { timeout: longest }, async () => {
  const dataDir = await temporaryFolder()
  const embedded = await startIn(dataDir)
  const sql = client(embedded)
  await sql`create table t as select 1 as n`
  const endless = assert.rejects(sql`select count(*) from generate_series(1, 1000000000000)`)
  await new Promise((resolve) => setTimeout(resolve, 20))
  await embedded.close()
  await endless
  await sql.end({ timeout: 0 })

  const again = await startIn(dataDir)
  const sqlAgain = client(again)
  assert.equal((await sqlAgain`select n from t`)[0]?.n, 1)
  await sqlAgain.end()
  await again.close()
})

test('a statement that nobody waits for any more does not keep the next client waiting', {
  timeout: longest,
}, async () => {
  const dataDir = await temporaryFolder()
  const embedded = await startIn(dataDir)
  const first = client(embedded)
  await first`create table t as select 1 as n`
  const endless = assert.rejects(first`select count(*) from generate_series(1, 1000000000000)`)
  await new Promise((resolve) => setTimeout(resolve, 20))
  await first.end({ timeout: 0 })
  await endless

  const second = client(embedded)
  const question = async () => [...(await second`select n from t`)]
  // The connection that finds the old server is lost with it.
  assert.deepEqual(await question().catch(question), [{ n: 1 }])
  await second.end({ timeout: 1 })
  await embedded.close()
})

test('a server that is abandoned stops writing and refuses with the reason', {
  timeout: longest,
}, async () => {
  const embedded = await startIn(await temporaryFolder())
  const sql = client(embedded)
  await sql`select 1`
  const lost = assert.rejects(sql`select pg_sleep(60)`, { code: /CONNECTION_CLOSED|ECONNRESET/ })
  embedded.abandon('Another process has taken the folder')
  await lost
  await assert.rejects(sql`select 1`, { code: 'ECONNREFUSED', message: /Another process has taken/ })
  await sql.end({ timeout: 0 })
  await embedded.close()
})

test('every acknowledged row is there after kill -9', { timeout: longest }, async () => {
  const dataDir = await temporaryFolder()
  const child = spawn(process.execPath, [CHILD, join(dataDir, 'postgres')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const acknowledged = await linesUntilKilled(child, 300)
  assert.ok(acknowledged.length >= 300)

  const embedded = await startIn(dataDir)
  const sql = client(embedded)
  const rows = await sql`select n from kept order by n`
  await sql.end()
  await embedded.close()
  assert.deepEqual(
    rows.slice(0, acknowledged.length).map(({ n }) => `${n}`),
    acknowledged,
  )
})

test('a PostgreSQL that has died fails what was asked of it and is started again for the next question', {
  timeout: longest,
}, async () => {
  const embedded = await startIn(await temporaryFolder())
  const sockets: Duplex[] = []
  const options = {
    socket: () => {
      const socket = embedded.connect()
      sockets.push(socket)
      return socket
    },
    max: 1,
    max_lifetime: null,
  }
  const sql = postgres(options)
  await sql`create table t as select 1 as n`
  sockets[0]?.write(message('?', 'PostgreSQL exits at a message of no known type'))
  await assert.rejects(sql`insert into t values (2)`, {
    code: 'ECONNRESET',
    message: /FATAL: .*invalid frontend message type 63/,
  })
  assert.deepEqual([...(await sql`select n from t`)], [{ n: 1 }])
  assert.equal(sockets.length, 2)
  await sql.end()
  await embedded.close()
})

async function linesUntilKilled(child: ChildProcess, count: number): Promise<string[]> {
  const lines: string[] = []
  assert.ok(child.stdout)
  for await (const line of createInterface({ input: child.stdout })) {
    if (lines.push(line) === count) child.kill('SIGKILL')
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return lines
}

test('a first start that was cut off is begun afresh', { timeout: longest }, async () => {
  const dataDir = await temporaryFolder()
  await mkdir(join(dataDir, 'postgres.unfinished', 'base'), { recursive: true })
  await writeFile(join(dataDir, 'postgres.unfinished', 'PG_VERSION'), '1')
  const embedded = await startIn(dataDir)
  await embedded.close()
  assert.deepEqual(await readdir(dataDir), ['postgres'])
})

test('a folder that PostgreSQL cannot open is reported in its words and let go', {
  timeout: longest,
}, async () => {
  const dataDir = await temporaryFolder()
  await (await startIn(dataDir)).close()
  const version = join(dataDir, 'postgres', 'PG_VERSION')
  const text = await readFile(version, 'utf8')
  await writeFile(version, '12\n')
  const refused = await startIn(dataDir)
  await assert.rejects(refused.opened, /initialized by PostgreSQL version 12/)
  await refused.close()
  await writeFile(version, text)
  await (await startIn(dataDir)).close()
})
