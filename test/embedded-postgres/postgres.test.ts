import assert from 'node:assert/strict'
import fs from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, type TestContext, test } from 'node:test'
import type { PGlite } from '@electric-sql/pglite'
import { ensureCluster } from '../../src/embedded-postgres/cluster.ts'
import { inflate } from '../../src/embedded-postgres/inflate.ts'
import { Maintenance } from '../../src/embedded-postgres/maintenance.ts'
import { startPglite } from '../../src/embedded-postgres/pglite.ts'
import { commandLine } from '../../src/embedded-postgres/settings.ts'
import { longest } from '../support/wait.ts'
import { parts } from './parts.ts'

// Here PostgreSQL runs without its thread, so that what it asks of the file system can be counted.
suite('PostgreSQL on the disk', { timeout: longest }, () => {
  let folder: string
  let postgres: PGlite

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'forgehall-postgres-'))
    await ensureCluster(join(folder, 'data'), parts.cluster)
    postgres = await start()
    await postgres.exec('create table t (n int primary key, filling text)')
  })

  after(async () => {
    await postgres.close()
    await rm(folder, { recursive: true })
  })

  async function start(): Promise<PGlite> {
    const data = join(folder, 'data')
    return startPglite({
      folder: data,
      commandLine: commandLine(data),
      wasm: await WebAssembly.compile(await inflate(parts.wasm())),
      files: new Blob([await inflate(parts.files())]),
      log: () => {},
      onSync: () => {},
    })
  }

  /** Counts calls of one of node:fs's functions, by the path of the file. */
  function counted(t: TestContext, name: 'fsyncSync' | 'fdatasyncSync'): string[] {
    const paths: string[] = []
    const original = fs[name]
    const mock = t.mock.method(fs, name, (fd: number) => {
      paths.push(fs.readlinkSync(`/proc/self/fd/${fd}`).slice(join(folder, 'data').length))
      original(fd)
    })
    syncBuiltinESMExports()
    t.after(() => {
      mock.mock.restore()
      syncBuiltinESMExports()
    })
    return paths
  }

  const linux = process.platform === 'linux' ? {} : { skip: 'asks /proc which file is synced' }

  test('each commit syncs the log before it is acknowledged', linux, async (t) => {
    const synced = counted(t, 'fdatasyncSync')
    for (let n = 1; n <= 20; n += 1) {
      await postgres.query('insert into t (n) values ($1)', [n])
      assert.equal(synced.filter((path) => path.startsWith('/pg_wal/')).length, n)
    }
  })

  test('a new segment of the log is synced by name too', linux, async (t) => {
    const synced = counted(t, 'fsyncSync')
    await postgres.exec('select pg_switch_wal(); insert into t (n) values (100)')
    assert.ok(synced.includes('/pg_wal'), synced.join('\n'))
  })

  test('a checkpoint syncs the tables', linux, async (t) => {
    const synced = counted(t, 'fdatasyncSync')
    await postgres.exec('insert into t (n) values (101); checkpoint')
    const { rows } = await postgres.query<{ path: string }>(`select pg_relation_filepath('t') as path`)
    assert.ok(synced.includes(`/${rows[0]?.path}`), synced.join('\n'))
  })

  test('upkeep vacuums and analyzes what has changed, and cuts the log', async () => {
    await postgres.exec(`
      insert into t select n, repeat('x', 2000) from generate_series(1000, 40000) n;
      delete from t where n % 2 = 0;
      select pg_stat_force_next_flush()`)
    const redo = 'select redo_lsn::text as redo from pg_control_checkpoint()'
    const before = await postgres.query(redo)
    const statements = await runUpkeep()
    assert.ok(statements.includes('checkpoint'))
    assert.ok(statements.includes('vacuum (analyze) t'))
    const { rows } = await postgres.query(`
      select n_dead_tup::int as dead, vacuum_count::int as vacuums, analyze_count::int as analyzes
      from pg_stat_all_tables where relname = 't'`)
    assert.deepEqual(rows, [{ dead: 0, vacuums: 1, analyzes: 1 }])
    assert.notDeepEqual((await postgres.query(redo)).rows, before.rows)
  })

  test('how much it keeps at hand follows the size of its tables at its start', async () => {
    const buffers = async () => (await postgres.query('show shared_buffers')).rows
    assert.deepEqual(await buffers(), [{ shared_buffers: '8MB' }])
    await postgres.exec(`insert into t select n, repeat('x', 2000) from generate_series(50000, 90000) n`)
    await postgres.close()
    postgres = await start()
    assert.deepEqual(await buffers(), [{ shared_buffers: '32MB' }])
  })

  async function runUpkeep(): Promise<string[]> {
    let now = 0
    const upkeep = new Maintenance(() => now)
    now += upkeep.timeout
    const statements: string[] = []
    for (let due = upkeep.due(); due !== undefined; due = upkeep.due()) {
      statements.push(due)
      const [result] = await postgres.exec(due, { rowMode: 'array' })
      upkeep.finished((result?.rows ?? []).map((row) => Object.values(row).map(String)))
    }
    return statements
  }
})
