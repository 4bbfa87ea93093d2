import { OperatorError } from '../../common/errors.ts'
import { allRows } from '../rows.ts'
import type { Sql } from '../sql.ts'

/** The newest of the migrations that the first three files replace. */
const lastReplaced = '0074_searches_by_prefix'

/** What a database that has `lastReplaced` has without these: they make the same schema. */
const replacements = ['0001_site', '0002_forge', '0003_forgehall']

/** Whether the present files contain a migration of this name, or replace it. */
export const isKnown = (name: string, steps: readonly { name: string }[]): boolean =>
  name <= lastReplaced || steps.some((step) => step.name === name)

/**
 * Names of applied migrations by the files of today, for names that a database or a backup has recorded. A database in
 * which all migrations up to `lastReplaced` were applied one by one has what the first three files make.
 * @throws OperatorError for a schema of which some of these migrations are missing
 */
export function presentNames(recorded: readonly string[]): string[] {
  if (recorded.includes(lastReplaced))
    return [...replacements, ...recorded.filter((name) => name > lastReplaced)]
  if (recorded.includes('0001_site') && !recorded.includes('0003_forgehall'))
    throw new OperatorError(
      `this version cannot upgrade the schema ${recorded.at(-1)}, which is too old; docs/CHANGELOG.md says which version ` +
        'to start on it first',
    )
  return [...recorded]
}

/** Names of the applied migrations, in order. */
export async function appliedMigrations(sql: Sql): Promise<string[]> {
  const rows = await allRows(sql<{ name: string }[]>`
    select name
    from forgehall.migration
    order by name collate "C"`)
  return presentNames(rows.map(({ name }) => name))
}
