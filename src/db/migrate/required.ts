import { OperatorError } from '../../common/errors.ts'
import { allRows, onlyRow } from '../rows.ts'
import type { Sql } from '../sql.ts'
import { isKnown } from './applied.ts'
import type { Migration } from './migrations.ts'

/** A newer release has changed the schema in a way with which this one cannot work. The process exits with code 2. */
export class NewerSchemaError extends OperatorError {
  override readonly exitCode = 2
}

/** Names of the migrations that the schema requires and that `steps` neither have nor replace, in order. */
export async function unknownRequirements(sql: Sql, steps: readonly Migration[]): Promise<string[]> {
  if (!(await existsTable(sql, 'forgehall.required_migration'))) return []
  const rows = await allRows(
    sql<{ name: string }[]>`select name from forgehall.required_migration order by name`,
  )
  return rows.map(({ name }) => name).filter((name) => !isKnown(name, steps))
}

export async function existsTable(sql: Sql, name: string): Promise<boolean> {
  const { exists } = await onlyRow(
    sql<[{ exists: boolean }]>`select to_regclass(${name}) is not null as exists`,
  )
  return exists
}

/** @throws NewerSchemaError when the schema requires a migration that `steps` neither have nor replace */
export async function requireKnownSchema(sql: Sql, steps: readonly Migration[]): Promise<void> {
  const unknown = await unknownRequirements(sql, steps)
  if (unknown.length > 0)
    throw new NewerSchemaError(
      `a newer version of Forgehall has changed the database (${unknown.join(', ')}), and this version cannot work ` +
        'with it; start the newer version, or restore the backup from before the upgrade',
    )
}
