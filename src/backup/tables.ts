import { allRows, firstRow, onlyRow } from '../db/rows.ts'
import type { Sql } from '../db/sql.ts'
import type { Schema, Sequences } from './archive.ts'

/** The schemas of this program. */
export const schemas = ['forge', 'forgehall', 'site'] as const

/** Which of these schemas the database has. */
export async function schemasIn(sql: Sql): Promise<string[]> {
  const rows = await allRows(sql<{ name: string }[]>`
    select nspname as name
    from pg_namespace
    where nspname = any(${[...schemas]}::text[])
    order by nspname`)
  return rows.map(({ name }) => name)
}

/** All tables with the columns that can be written, so without generated ones. */
export const tablesOf = (sql: Sql): Promise<Schema['tables']> =>
  allRows(sql<{ name: string; columns: string[] }[]>`
    select n.nspname || '.' || c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid
    where n.nspname = any(${[...schemas]}::text[]) and c.relkind = 'r'
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    group by n.nspname, c.relname
    order by n.nspname, c.relname`)

/** The state of all sequences. It is not part of a snapshot: read it after the rows, whose ids it must include. */
export async function sequencesOf(sql: Sql): Promise<Sequences> {
  const rows = await allRows(sql<{ name: string }[]>`
    select n.nspname || '.' || c.relname as name
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any(${[...schemas]}::text[]) and c.relkind = 'S'
    order by n.nspname, c.relname`)
  const sequences: Sequences = []
  for (const { name } of rows) {
    const state = await onlyRow(sql<[{ value: string; isCalled: boolean }]>`
      select last_value::text as value, is_called as "isCalled"
      from ${sql(name)}`)
    sequences.push({ name, ...state })
  }
  return sequences
}

export async function setSequences(sql: Sql, sequences: Sequences): Promise<void> {
  for (const { name, value, isCalled } of sequences)
    await sql`select setval(${name}::text::regclass, ${value}::text::bigint, ${isCalled})`
}

/** The start of `copy` for a table; the names are those of `tablesOf`. */
export const copyText = (
  { name, columns }: Schema['tables'][number],
  direction: 'to stdout' | 'from stdin',
) => `copy ${quotedName(name)} (${columns.map(quoted).join(', ')}) ${direction}`

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
const quotedName = (name: string) => name.split('.').map(quoted).join('.')

/** Foreign keys, with the statements that drop and add them. */
export const foreignKeysOf = (sql: Sql) =>
  allRows(sql<{ drop: string; add: string }[]>`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as add
    from pg_constraint
    where contype = 'f' and connamespace in (
      select oid
      from pg_namespace
      where nspname = any(${[...schemas]}::text[])
    )
    order by conname`)

/** Enables or disables the triggers of all tables: the rows of a backup include the totals and events of triggers. */
export async function switchTriggers(
  sql: Sql,
  tables: Schema['tables'],
  state: 'enable' | 'disable',
): Promise<void> {
  for (const { name } of tables) await sql.unsafe(`alter table ${quotedName(name)} ${state} trigger user`)
}

/** Removes the rows that migrations insert. */
export async function emptyTables(sql: Sql, tables: Schema['tables']): Promise<void> {
  await sql.unsafe(`truncate ${tables.map(({ name }) => quotedName(name)).join(', ')}`)
}

/**
 * Locks all tables at once until the transaction ends: `access share`, which reads take anyway, against migrations, or
 * `access exclusive` against everybody.
 */
export async function lockTables(
  sql: Sql,
  tables: Schema['tables'],
  mode: 'access share' | 'access exclusive',
): Promise<void> {
  await sql.unsafe(`lock table ${tables.map(({ name }) => quotedName(name)).join(', ')} in ${mode} mode`)
}

/** Bytes of all tables, with TOAST. */
export async function sizeOfTables(sql: Sql): Promise<number> {
  const { size } = await onlyRow(sql<[{ size: number }]>`
    select coalesce(sum(pg_table_size(c.oid)), 0)::bigint as size
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any(${[...schemas]}::text[]) and c.relkind = 'r'`)
  return size
}

/** Tables with rows of migrations, or of the first start of a server. */
const seeded =
  /^(?:forgehall\.(?:(?:required_)?migration|content_store)|forge\.account|forge\.system_account|\w+\.\w+_tally|site\.visitor_count)$/

/** Whether the database was never used: it has no accounts but those of migrations, and no other rows. */
export async function isUnused(sql: Sql, tables: Schema['tables']): Promise<boolean> {
  if (tables.length === 0) return true
  const conditions = tables
    .filter(({ name }) => !seeded.test(name))
    .map(({ name }) => `exists (select from ${quotedName(name)})`)
  if (tables.some(({ name }) => name === 'forge.account'))
    conditions.push('exists (select from forge.account where id > 0)')
  const row = await firstRow(sql.unsafe<{ used: boolean }[]>(`select ${conditions.join(' or ')} as used`))
  return row?.used === false
}
