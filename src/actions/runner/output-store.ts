import { allRows } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'

/** The only writer of task outputs. */

/** Stores new outputs within the limits; a null value stores the name only. */
export async function insertOutputs(
  sql: Sql,
  id: number,
  outputs: readonly { key: string; value: string | null }[],
  limits: { names: number; bytes: number },
): Promise<void> {
  await sql`
    insert into forge.action_output (task_id, key, value)
    select ${id}, key, value
    from (
      select key, value, row_number() over (order by position) as names,
        sum(octet_length(value)) over (order by position) as bytes
      from unnest(${outputs.map(({ key }) => key)}::text[], ${outputs.map(({ value }) => value)}::text[])
        with ordinality as input (key, value, position)
      where not exists (select from forge.action_output as old where old.task_id = ${id} and old.key = input.key)
    ) as added,
    (
      select count(*) as names, coalesce(sum(octet_length(value)), 0) as bytes
      from forge.action_output
      where task_id = ${id}
    ) as stored
    where stored.names + added.names <= ${limits.names} and stored.bytes + coalesce(added.bytes, 0) <= ${limits.bytes}
    on conflict on constraint action_output_pkey do nothing`
}

export async function outputNames(sql: Sql, id: number): Promise<string[]> {
  const rows = await allRows(sql<{ key: string }[]>`
    select key
    from forge.action_output
    where task_id = ${id}
    order by key`)
  return rows.map(({ key }) => key)
}

/**
 * Adds an output of one job to those of other jobs with the same key: the last non-empty value wins. A Map, because users
 * choose the names and a JavaScript object has inherited ones.
 */
export function mergeOutput(outputs: Map<string, string>, name: string, value: string): void {
  if (value !== '' || !outputs.has(name)) outputs.set(name, value)
}
