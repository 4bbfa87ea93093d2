import type { Sql } from '../../db/sql.ts'

/** The only writer of what tasks put out. */

/** Keeps outputs that are not known yet, as long as there is room; a value of null is known by its name only. */
export async function insertOutputs(
  sql: Sql,
  id: number,
  outputs: readonly { key: string; value: string | null }[],
  most: { names: number; bytes: number },
): Promise<void> {
  await sql`
    insert into forge.action_output (task_id, key, value)
    select ${id}, key, value
    from (
      select key, value, row_number() over (order by place) as names,
        sum(octet_length(value)) over (order by place) as bytes
      from unnest(${outputs.map(({ key }) => key)}::text[], ${outputs.map(({ value }) => value)}::text[])
        with ordinality as given (key, value, place)
      where not exists (select from forge.action_output as old where old.task_id = ${id} and old.key = given.key)
    ) as come,
    (
      select count(*) as names, coalesce(sum(octet_length(value)), 0) as bytes
      from forge.action_output
      where task_id = ${id}
    ) as known
    where known.names + come.names <= ${most.names} and known.bytes + coalesce(come.bytes, 0) <= ${most.bytes}
    on conflict on constraint action_output_pkey do nothing`
}

export async function outputNames(sql: Sql, id: number): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select key
    from forge.action_output
    where task_id = ${id}
    order by key`
  return rows.map(({ key }) => key)
}

/**
 * Puts an output of one more job of a key beside those of the others: the last value that is not empty counts. A map,
 * because names come from strangers, and an object of JavaScript has some of its own.
 */
export function mergeOutput(outputs: Map<string, string>, name: string, value: string): void {
  if (value !== '' || !outputs.has(name)) outputs.set(name, value)
}
