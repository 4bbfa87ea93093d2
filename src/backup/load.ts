import { hasCode } from '../common/errors.ts'
import { appliedMigrations, presentNames } from '../db/migrate/applied.ts'
import { history, lockSchema, scriptOf } from '../db/migrate/migrate.ts'
import { migrations } from '../db/migrate/migrations.ts'
import type { Sql } from '../db/sql.ts'
import { BackupError, type Schema, type Sequences } from './archive.ts'
import { Copy } from './copy.ts'
import { portableText } from './dump.ts'
import {
  copyText,
  emptyTables,
  foreignKeysOf,
  isUnused,
  lockTables,
  schemas,
  schemasIn,
  setSequences,
  switchTriggers,
  tablesOf,
} from './tables.ts'

async function requireEmpty(sql: Sql): Promise<void> {
  const existing = await schemasIn(sql)
  if (existing.length === 0) return
  if (!existing.includes('forgehall'))
    throw new BackupError(
      `the database has a schema "${existing[0]}" of another program; restore into an empty database`,
    )
  if (await isUnused(sql, await tablesOf(sql))) return
  throw new BackupError(
    'the database is not empty: it holds accounts or other rows; restore into an empty one',
  )
}

/**
 * Keeps an empty database empty until the transaction ends: servers that start on it wait.
 * @throws BackupError when it is not empty, or another restore uses it
 */
export async function claimEmpty(sql: Sql): Promise<void> {
  await sql.unsafe(portableText)
  await lockInTime(sql)
  // A server that uses this database must not be blocked, even for a moment.
  await requireEmpty(sql)
  const tables = await tablesOf(sql)
  if (tables.length === 0) return
  await lockTables(sql, tables, 'access exclusive')
  await requireEmpty(sql)
}

/** Waits for the lock, since the database notices late that an earlier restore was killed. @throws BackupError when it stays locked */
async function lockInTime(sql: Sql): Promise<void> {
  await sql`set local lock_timeout = '3s'`
  await lockSchema(sql).catch((error: unknown) => {
    throw hasCode(error, lockNotAvailable)
      ? new BackupError(
          'another restore or a starting server is using this database; wait until it has finished',
        )
      : error
  })
  await sql`set local lock_timeout = 0`
}

/** SQLSTATE of a lock that did not become free in time. */
const lockNotAvailable = '55P03'

/** Loads the rows of a backup in the transaction of `sql`, table by table. */
export class Loader {
  readonly #sql: Sql
  readonly #schema: Schema
  readonly #foreignKeys: readonly { add: string }[]
  readonly #loaded = new Set<string>()
  #table: string | undefined
  #copy: Copy | undefined

  private constructor(sql: Sql, schema: Schema, foreignKeys: readonly { add: string }[]) {
    this.#sql = sql
    this.#schema = schema
    this.#foreignKeys = foreignKeys
  }

  /** Makes the schema of the backup, without foreign keys and triggers. @throws BackupError for an unknown schema */
  static async start(sql: Sql, schema: Schema): Promise<Loader> {
    const steps = stepsOf(schema)
    if (!(await hasApplied(sql, steps))) {
      for (const name of schemas) await sql.unsafe(`drop schema if exists ${name} cascade`)
      await sql.unsafe(history)
      await sql.unsafe(scriptOf(steps))
    }
    await requireSameTables(sql, schema)
    const foreignKeys = await foreignKeysOf(sql)
    for (const { drop } of foreignKeys) await sql.unsafe(drop)
    await switchTriggers(sql, schema.tables, 'disable')
    await emptyTables(sql, schema.tables)
    return new Loader(sql, schema, foreignKeys)
  }

  /** Adds rows to a table; the parts of one table follow each other. */
  async add(name: string, rows: AsyncIterable<Buffer>): Promise<void> {
    if (name !== this.#table) await this.#begin(name)
    for await (const chunk of rows) await this.#copy?.write(chunk)
  }

  async #begin(name: string): Promise<void> {
    await this.#end()
    const table = this.#schema.tables.find((each) => each.name === name)
    if (!table || this.#loaded.has(name)) throw new BackupError(`the backup has rows of ${name} out of place`)
    this.#loaded.add(name)
    this.#table = name
    this.#copy = await Copy.begin(this.#sql, copyText(table, 'from stdin'))
  }

  async #end(): Promise<void> {
    const copy = this.#copy
    this.#table = undefined
    await copy?.end()
    this.#copy = undefined
  }

  /** Ends an open `copy`, so that the transaction can be rolled back. */
  abort(error: Error): void {
    this.#copy?.abort(error)
    this.#copy = undefined
  }

  /** Completes the schema, which checks every reference, and brings it up to date. */
  async finish(sequences: Sequences): Promise<void> {
    await this.#end()
    await setSequences(this.#sql, sequences)
    for (const { add } of this.#foreignKeys) await this.#sql.unsafe(add)
    await switchTriggers(this.#sql, this.#schema.tables, 'enable')
    const applied = presentNames(this.#schema.migrations)
    const newer = migrations.filter(({ name }) => !applied.includes(name))
    if (newer.length > 0) await this.#sql.unsafe(scriptOf(newer))
  }
}

/** The migrations that lead to the schema of the backup. @throws OperatorError for a schema that is too old */
function stepsOf(schema: Schema) {
  const applied = presentNames(schema.migrations)
  const unknown = applied.find((name) => migrations.every((step) => step.name !== name))
  if (unknown !== undefined)
    throw new BackupError(
      `the backup has the schema ${unknown} of a newer version of Forgehall; restore it with that version`,
    )
  return migrations.filter(({ name }) => applied.includes(name))
}

/** Whether the empty database has this schema already, such as one that was just made for the restore. */
async function hasApplied(sql: Sql, steps: readonly { name: string }[]): Promise<boolean> {
  if (!(await schemasIn(sql)).includes('forgehall')) return false
  const applied = await appliedMigrations(sql)
  return applied.length === steps.length && steps.every(({ name }) => applied.includes(name))
}

/** @throws BackupError when tables and columns are not those of the migrations: statements will contain their names */
async function requireSameTables(sql: Sql, schema: Schema): Promise<void> {
  const existing = JSON.stringify(await tablesOf(sql))
  if (existing !== JSON.stringify(schema.tables.map(({ name, columns }) => ({ name, columns }))))
    throw new BackupError('the tables in the backup do not match its schema')
}
