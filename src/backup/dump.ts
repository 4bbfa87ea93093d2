import { appliedMigrations } from '../db/migrate/applied.ts'
import { keepSchema } from '../db/migrate/migrate.ts'
import { migrations } from '../db/migrate/migrations.ts'
import type { Pool, Sql } from '../db/sql.ts'
import { BackupError, memberNames, rowsName, type Schema } from './archive.ts'
import { copyText, lockTables, sequencesOf, tablesOf } from './tables.ts'
import type { ArchiveWriter } from './writer.ts'

/** Bytes of rows per member; a member is in memory until it is complete. */
const partSize = 4 * 1024 * 1024

/**
 * Adds all rows to an archive, as of one moment: in one transaction, which does not block other reads and writes. A
 * migration and a backup wait for each other: in a snapshot from before it, a table that the migration rewrites is empty.
 * `inSnapshot` reads more in the same transaction.
 */
export async function dumpDatabase<Result>(
  pool: Pool,
  archive: ArchiveWriter,
  inSnapshot: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  const outcome = await pool.begin('isolation level repeatable read read only', async (sql) => {
    await sql.unsafe(portableText)
    await keepSchema(sql)
    const tables = await tablesOf(sql)
    await lockTables(sql, tables, 'access share')
    const schema: Schema = { migrations: await appliedMigrations(sql), tables }
    requireKnownMigrations(schema)
    await archive.addJson(memberNames.schema, schema)
    for (const table of tables) await dumpTable(sql, archive, table)
    await archive.addJson(memberNames.sequences, await sequencesOf(sql))
    return { result: await inSnapshot(sql) }
  })
  return outcome.result
}

/** With these settings every server writes and reads the same text, and waits while files are read or written. */
export const portableText = `
  set local statement_timeout = 0;
  set local idle_in_transaction_session_timeout = 0;
  set local datestyle to 'ISO, YMD';
  set local intervalstyle to 'postgres';
  set local bytea_output to 'hex';
  set local extra_float_digits to 1;`

/** @throws BackupError for a schema that this program could not restore */
function requireKnownMigrations(schema: Schema): void {
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = schema.migrations.find((name) => !known.has(name))
  if (unknown === undefined) return
  throw new BackupError(
    `the database has the schema ${unknown} of a newer version of Forgehall; make the backup with that version`,
  )
}

async function dumpTable(sql: Sql, archive: ArchiveWriter, table: Schema['tables'][number]): Promise<void> {
  let rows: Buffer[] = []
  let size = 0
  let part = 0
  const flush = async () => {
    await archive.addBytes(rowsName(table.name, part++), Buffer.concat(rows))
    rows = []
    size = 0
  }
  for await (const row of await sql.unsafe(copyText(table, 'to stdout')).readable()) {
    rows.push(row)
    size += row.length
    if (size >= partSize) await flush()
  }
  if (size > 0 || part === 0) await flush()
}
