import type { Pool, Sql } from '../sql.ts'
import type { Migration } from './migrations.ts'

/** Any number will do, as long as every Forgehall on this database takes the same one. */
const lockKey = 7_305_803_901

/** Makes the table that remembers which steps were applied, where it is missing. */
export const history = `
  create schema if not exists forgehall;
  create table if not exists forgehall.migration (
    name text constraint migration_pkey primary key,
    applied_at timestamptz(3) not null default now()
  );`

/** What applies steps and remembers their names, which hold no quotes. */
export const scriptOf = (steps: readonly Migration[]): string =>
  steps
    .map(({ name, text }) => `${text}\n;insert into forgehall.migration (name) values ('${name}');`)
    .join('\n')

/**
 * Brings the schema up to date: all missing steps in one transaction under an advisory lock, so that of several
 * starting processes one does the work and the others find it done. Gives the names of the steps it applied. Most starts
 * find none missing, with one look and without the lock.
 *
 * Steps that this program does not know are left alone: an older program runs beside a newer one while they are
 * exchanged (`sql/README.md`: expand, then contract).
 */
export async function migrate(pool: Pool, steps: readonly Migration[]): Promise<string[]> {
  if ((await missingOf(pool, steps)).length === 0) return []
  return await pool.begin(async (sql) => {
    await sql`set local statement_timeout = 0`
    await lockSchema(sql)
    await sql.unsafe(history)
    const missing = await missingOf(sql, steps)
    await sql.unsafe(scriptOf(missing))
    return missing.map(({ name }) => name)
  })
}

/** Waits for its turn among all who change the schema, or what belongs to a step of it; until the transaction ends. */
export async function lockSchema(sql: Sql): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockKey}::bigint)`
}

async function missingOf(sql: Sql, steps: readonly Migration[]): Promise<readonly Migration[]> {
  const [row] = await sql<
    { exists: boolean }[]
  >`select to_regclass('forgehall.migration') is not null as exists`
  if (!row?.exists) return steps
  const rows = await sql<{ name: string }[]>`select name from forgehall.migration`
  const applied = new Set(rows.map(({ name }) => name))
  return steps.filter(({ name }) => !applied.has(name))
}
