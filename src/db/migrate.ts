import type { Migration } from './migrations.ts'
import type { Pool, Sql } from './sql.ts'

/** Any number will do, as long as every Forgehall on this database takes the same one. */
const lockKey = 7_305_803_901

/**
 * Brings the schema up to date: all missing steps in one transaction under an advisory lock, so that of several
 * starting processes one does the work and the others find it done. Gives the names of the steps it applied.
 *
 * Steps that this program does not know are left alone: an older program runs beside a newer one while they are
 * exchanged (`sql/README.md`: expand, then contract).
 */
export async function migrate(pool: Pool, steps: readonly Migration[]): Promise<string[]> {
  return await pool.begin(async (sql) => {
    await sql`set local statement_timeout = 0`
    await lockSchema(sql)
    const applied = await appliedSteps(sql)
    const missing = steps.filter(({ name }) => !applied.has(name))
    for (const { name, text } of missing) {
      await sql.unsafe(text)
      await sql`insert into forgehall.migration (name) values (${name})`
    }
    return missing.map(({ name }) => name)
  })
}

/** Waits for its turn among all who change the schema, or what belongs to a step of it; until the transaction ends. */
export async function lockSchema(sql: Sql): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockKey}::bigint)`
}

async function appliedSteps(sql: Sql): Promise<Set<string>> {
  await sql`create schema if not exists forgehall`
  await sql`
    create table if not exists forgehall.migration (
      name text constraint migration_pkey primary key,
      applied_at timestamptz(3) not null default now()
    )`
  const rows = await sql<{ name: string }[]>`select name from forgehall.migration`
  return new Set(rows.map(({ name }) => name))
}
