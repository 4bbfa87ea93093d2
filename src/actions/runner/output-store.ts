import type { Sql } from '../../db/sql.ts'

/** The only writer of task outputs. */

/** Stores new outputs within the limits; a null value records the name only. */
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
      select key, value, row_number() over (order by place) as names,
        sum(octet_length(value)) over (order by place) as bytes
      from unnest(${outputs.map(({ key }) => key)}::text[], ${outputs.map(({ value }) => value)}::text[])
        with ordinality as given (key, value, place)
      where not exists (select from forge.action_output as old where old.task_id = ${id} and old.key = given.key)
    ) as added,
    (
      select count(*) as names, coalesce(sum(octet_length(value)), 0) as bytes
      from forge.action_output
      where task_id = ${id}
    ) as known
    where known.names + added.names <= ${limits.names} and known.bytes + coalesce(added.bytes, 0) <= ${limits.bytes}
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
 * Merges an output of one job of a key with those of the key's other jobs: the last non-empty value wins. A Map,
 * because users choose the names and a JavaScript object has inherited ones.
 */
export function mergeOutput(outputs: Map<string, string>, name: string, value: string): void {
  if (value !== '' || !outputs.has(name)) outputs.set(name, value)
}
