import type { Pool, Sql } from '../sql.ts'
import { appliedMigrations } from './applied.ts'
import type { Migration } from './migrations.ts'
import { existsTable, requireKnownSchema } from './required.ts'

/** An arbitrary number, which must be the same in every Forgehall process on this database. */
const lockKey = 7_305_803_901

/** Creates the table of applied migrations, if missing. */
export const history = `
  create schema if not exists forgehall;
  create table if not exists forgehall.migration (
    name text constraint migration_pkey primary key,
    applied_at timestamptz(3) not null default now()
  );`

/** The script that applies migrations and records their names, which contain no quotes. */
export const scriptOf = (steps: readonly Migration[]): string =>
  steps
    .map(({ name, text }) => `${text}\n;insert into forgehall.migration (name) values ('${name}');`)
    .join('\n')

/**
 * Brings the schema up to date: applies all missing migrations in one transaction under an advisory lock, so that if
 * several processes start, one of them does the work. Returns the names of the applied migrations.
 * Usually none is missing, which takes one query and no lock.
 *
 * Migrations unknown to this release are ignored unless the schema requires them: during an upgrade an older process
 * runs next to a newer one (`sql/README.md`: expand, then contract).
 * @throws NewerSchemaError, or OperatorError for a schema that is too old, before it changes anything
 */
export async function migrate(pool: Pool, steps: readonly Migration[]): Promise<string[]> {
  await requireKnownSchema(pool, steps)
  if ((await missingOf(pool, steps)).length === 0) return []
  return await pool.begin(async (sql) => {
    await sql`set local statement_timeout = 0`
    await lockSchema(sql)
    await requireKnownSchema(sql, steps)
    await sql.unsafe(history)
    await sql`lock table forgehall.migration in exclusive mode`
    const missing = await missingOf(sql, steps)
    await sql.unsafe(scriptOf(missing))
    return missing.map(({ name }) => name)
  })
}

/** Waits for the lock on schema changes and on data tied to a migration; holds it until the transaction ends. */
export async function lockSchema(sql: Sql): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockKey}::bigint)`
}

/**
 * Waits for a migration that is under way, and makes others wait until the transaction ends. As the first statement of a
 * transaction with one snapshot: unlike an advisory lock, this statement takes none before it has waited.
 */
export async function keepSchema(sql: Sql): Promise<void> {
  await sql.unsafe('lock table forgehall.migration in row share mode')
}

async function missingOf(sql: Sql, steps: readonly Migration[]): Promise<readonly Migration[]> {
  if (!(await existsTable(sql, 'forgehall.migration'))) return steps
  const applied = new Set(await appliedMigrations(sql))
  return steps.filter(({ name }) => !applied.has(name))
}
