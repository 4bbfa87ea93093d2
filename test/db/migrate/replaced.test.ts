import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { appliedMigrations, presentNames } from '../../../src/db/migrate/applied.ts'
import { migrate } from '../../../src/db/migrate/migrate.ts'
import { migrations } from '../../../src/db/migrate/migrations.ts'
import { unknownRequirements } from '../../../src/db/migrate/required.ts'
import { openTestDatabase } from '../../support/database.ts'

const { pool, close } = await openTestDatabase()
after(close)

const [first, later] = [migrations.slice(0, 3), migrations.slice(3)]

/** What an earlier program has recorded of the schema that the first three files make. */
const recorded = [
  '0001_site',
  '0002_forge',
  '0003_webhooks',
  '0034_statuses_of_the_api',
  '0074_searches_by_prefix',
]

beforeEach(async () => {
  await pool`drop schema if exists site, forge, forgehall cascade`
  await migrate(pool, first)
  await pool`delete from forgehall.migration`
  await pool`delete from forgehall.required_migration`
})

const record = (names: readonly string[]) =>
  pool`insert into forgehall.migration ${pool(names.map((name) => ({ name })))}`

test('a database to which the replaced migrations were applied gets those that follow, once', async () => {
  await record(recorded)
  await pool`insert into forgehall.required_migration (name) values ('0034_statuses_of_the_api')`
  assert.deepEqual(
    await migrate(pool, migrations),
    later.map(({ name }) => name),
  )
  assert.deepEqual(await migrate(pool, migrations), [])
  assert.deepEqual(await unknownRequirements(pool, migrations), [])
  assert.deepEqual(
    await appliedMigrations(pool),
    migrations.map(({ name }) => name),
  )
})

test('a database that lacks one of them is refused with a sentence, and nothing changes', async () => {
  await record(recorded.slice(0, -1))
  const state = () => pool`select name, applied_at::text from forgehall.migration order by name`
  const before = await state()
  await assert.rejects(
    migrate(pool, migrations),
    /cannot upgrade the schema 0034_statuses_of_the_api, which is too old/,
  )
  assert.deepEqual(await state(), before)
})

test('names of a schema that the present files made stay as they are, also those of a newer program', () => {
  const names = ['0001_site', '0002_forge', '0003_forgehall', '0075_password_links', '9999_later']
  assert.deepEqual(presentNames(names), names)
  assert.deepEqual(presentNames([]), [])
})
