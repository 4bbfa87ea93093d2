import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { migrate } from '../../../src/db/migrate/migrate.ts'
import { migrations } from '../../../src/db/migrate/migrations.ts'
import { openPool } from '../../../src/db/open.ts'
import { onServer, openTestDatabase } from '../../support/database.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { runInProcess } from '../../support/in-process.ts'
import { held, until } from '../../support/wait.ts'

const database = await openTestDatabase()
const { pool, url } = database
after(() => database.close())

const names = async () =>
  (await pool<{ name: string }[]>`select name from forgehall.migration order by name`).map(({ name }) => name)

const clear = async () => {
  await pool`drop schema if exists site, forge, forgehall, tried cascade`
}

test('a migrated database is left as it is', async () => {
  const before = await pool`select name, applied_at from forgehall.migration order by name`
  assert.deepEqual(
    before.map(({ name }) => name),
    migrations.map(({ name }) => name),
  )
  assert.deepEqual(await migrate(pool, migrations), [])
  assert.deepEqual(await pool`select name, applied_at from forgehall.migration order by name`, before)
})

test('the names of the steps are in order and differ', () => {
  const all = migrations.map(({ name }) => name)
  assert.deepEqual(all, [...new Set(all)].toSorted())
})

test('forgehall backup waits for a migration that is under way, so that no rewritten table is empty in it', {
  skip: !onServer && 'one connection cannot wait for itself',
}, async () => {
  const own = await openTestDatabase()
  after(() => own.close())
  await own.pool`insert into site.news_post (title, content, created_at) values ('a', 'b', now())`
  const step = {
    name: '9999_rewritten',
    text: 'alter table site.news_post alter column title type text using title || title; select pg_advisory_xact_lock(42)',
  }
  const [opened, open] = [held<void>(), held<void>()]
  const gate = own.pool.begin(async (sql) => {
    await sql`select pg_advisory_xact_lock(42)`
    opened.resolve()
    await open.promise
  })
  await opened.promise
  const waiting = async (count: number) => {
    const rows = await own.pool`
      select from pg_locks
      where not granted and database = (select oid from pg_database where datname = current_database())`
    return rows.length >= count
  }
  const migrated = migrate(own.pool, [...migrations, step])
  await until('the migration has rewritten the table', () => waiting(1))
  const folder = await temporaryFolder()
  const environment = { DATABASE_URL: own.url ?? '', DATA_DIR: join(folder, 'data') }
  const backedUp = runInProcess(['backup', join(folder, 'backup')], environment)
  await until('the backup waits', () => waiting(2))
  open.resolve()
  await Promise.all([gate, migrated])
  const { code, err } = await backedUp
  // It sees the schema of the migration, which this release does not know, and so its rows.
  assert.equal(code, 1)
  assert.match(err, /has the schema 9999_rewritten of a newer version/)
})

test('steps that this program does not know are left alone', async () => {
  await pool`insert into forgehall.migration (name) values ('9999_later')`
  assert.deepEqual(await migrate(pool, migrations), [])
  assert.ok((await names()).includes('9999_later'))
})

test('an empty database gets every step in order, and gives their names', async () => {
  await clear()
  assert.deepEqual(
    await migrate(pool, migrations),
    migrations.map(({ name }) => name),
  )
  assert.deepEqual(await names(), migrations.map(({ name }) => name).toSorted())
})

const steps = [
  { name: '1_first', text: 'create schema tried; create table tried.one (id int);' },
  { name: '2_second', text: 'alter table tried.one add column name text; create table tried.two (id int);' },
]

test('only missing steps are applied', async () => {
  await clear()
  assert.deepEqual(await migrate(pool, steps.slice(0, 1)), ['1_first'])
  assert.deepEqual(await migrate(pool, steps), ['2_second'])
  await pool`insert into tried.one (id, name) values (1, 'a')`
})

test('a step that fails takes all steps of this run back', async () => {
  await clear()
  const broken = [...steps, { name: '3_broken', text: 'create table tried.three (id int); select 1 / 0;' }]
  await assert.rejects(migrate(pool, broken), { code: '22012' })
  const [row] = await pool`
    select to_regclass('tried.one') as one, to_regclass('forgehall.migration') as migration`
  assert.deepEqual(row, { one: null, migration: null })
  assert.deepEqual(await migrate(pool, steps), ['1_first', '2_second'])
})

test('of several processes that start at once one does the work', {
  skip: !onServer && 'one process',
}, async () => {
  await clear()
  const pools = Array.from({ length: 5 }, () => openPool({ url: url ?? '', poolSize: 1 }))
  const applied = await Promise.all(pools.map((each) => migrate(each, migrations)))
  await Promise.all(pools.map((each) => each.end({ timeout: 5 })))
  assert.deepEqual(
    applied.filter((each) => each.length > 0),
    [migrations.map(({ name }) => name)],
  )
})
