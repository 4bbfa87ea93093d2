import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchSchema } from '../../../src/cli/serve/schema-watch.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { migrations } from '../../../src/db/migrate/migrations.ts'
import { NewerSchemaError, requireKnownSchema } from '../../../src/db/migrate/required.ts'
import type { Pool } from '../../../src/db/sql.ts'
import { createLog } from '../../../src/log.ts'
import { openHome, runBinary } from '../../support/binary.ts'
import { runInProcess } from '../../support/in-process.ts'
import { keepLines } from '../../support/sink.ts'
import { until } from '../../support/wait.ts'

const home = await openHome()
const { environment, dataDir } = home

/** Works on the database, which no process has open meanwhile. */
async function onDatabase<Result>(work: (pool: Pool) => Promise<Result>): Promise<Result> {
  const database = await openDatabase({ url: environment.DATABASE_URL, dataDir, poolSize: 2 })
  try {
    await database.opened
    return await work(database.pool)
  } finally {
    await database.close(5)
  }
}

/** Everything that a migration could have changed: its record, and the columns of all tables. */
const state = (pool: Pool) => pool`
  select name, applied_at::text as detail from forgehall.migration
  union all
  select table_schema || '.' || table_name || '.' || column_name, data_type
  from information_schema.columns where table_schema in ('site', 'forge', 'forgehall')
  order by 1, 2`

test('a program that lacks a required migration is refused; other unknown ones do not matter', async () => {
  const last = migrations.at(-1)?.name ?? ''
  await onDatabase(async (pool) => {
    await requireKnownSchema(pool, migrations.slice(0, -1))
    await pool`insert into forgehall.required_migration (name) values (${last})`
    await assert.rejects(requireKnownSchema(pool, migrations.slice(0, -1)), NewerSchemaError)
    await requireKnownSchema(pool, migrations)
    await pool`delete from forgehall.required_migration where name = ${last}`
  })
})

test('a server and commands refuse a schema that requires a newer program, change nothing, and doctor says so', async () => {
  const before = await onDatabase(async (pool) => {
    await pool`insert into forgehall.required_migration (name) values ('9999_later')`
    return await state(pool)
  })
  for (const words of [[], ['migrate'], ['stat', 'list']]) {
    // A server prints its log on the standard output of its process.
    const run = words.length === 0 ? runBinary : runInProcess
    const { code, err } = await run(words, { PORT: '0', HOST: '127.0.0.1', ...environment })
    assert.equal(code, 2, err)
    assert.match(
      err,
      /^forgehall: a newer version of Forgehall has changed the database \(9999_later\).*backup.*\n$/,
    )
  }
  assert.match(
    (await runInProcess(['doctor'], environment)).out,
    /requires migrations of a newer version: 9999_later/,
  )
  await onDatabase(async (pool) => {
    assert.deepEqual(await state(pool), before)
    await pool`delete from forgehall.required_migration where name = '9999_later'`
  })
})

test('a process gives up when a newer one changes the schema beside it', async () => {
  await onDatabase(async (pool) => {
    const given: Error[] = []
    const sink = keepLines()
    const parts = { pool, log: createLog('info', sink), giveUp: (error: Error) => void given.push(error) }
    const watch = watchSchema(parts, 1)
    await pool`insert into forgehall.required_migration (name) values ('9999_later')`
    await until('it gives up', () => given.length > 0)
    await watch.stop()
    assert.ok(given[0] instanceof NewerSchemaError)
    assert.deepEqual(sink.lines(), [])
    await pool`delete from forgehall.required_migration where name = '9999_later'`
  })
})

test('a start whose migration fails ends with a sentence and leaves the schema and the rows as they were', async () => {
  const before = await onDatabase(async (pool) => {
    await pool`insert into site.news_post (title, content, created_at) values ('kept', 'text', '2026-01-01')`
    // The first can be applied again; the second makes a table that is there already.
    await pool`drop table forge.password_link`
    await pool`delete from forgehall.migration where name in ('0075_password_links', '0086_annotations')`
    return await state(pool)
  })
  const { code, out, err } = await runBinary([], { PORT: '0', HOST: '127.0.0.1', ...environment })
  assert.equal(code, 1, err)
  assert.match(err, /^forgehall: PostgreSQL reports: .*already exists\n$/)
  assert.doesNotMatch(out, /migrated|ready/)
  await onDatabase(async (pool) => {
    assert.deepEqual(await state(pool), before)
    assert.equal((await pool`select from site.news_post where title = 'kept'`).count, 1)
  })
})
