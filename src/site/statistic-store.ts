import { anyRow } from '../db/rows.ts'
import type { Sql } from '../db/sql.ts'

/** The statistics of the specification (section 2) with their default values. */
export const defaults = {
  build_pipeline: 'unknown',
  build_number: '0',
  version: '0.0.0',
  reports_named: '0',
  reports_associated: '0',
  reports_logged: '0',
} as const

type StatisticKey = keyof typeof defaults

/** Whether a text is a key. */
export const isStatisticKey = (text: string): text is StatisticKey => Object.hasOwn(defaults, text)

/** Every statistic, set or default. */
export async function allStatistics(sql: Sql): Promise<Record<StatisticKey, string>> {
  const rows = await sql<{ key: StatisticKey; value: string }[]>`
    select key, value
    from site.statistic`
  return { ...defaults, ...Object.fromEntries(rows.map(({ key, value }) => [key, value])) }
}

/** Sets these statistics in one statement; the others stay unchanged. */
export async function upsertStatistics(
  sql: Sql,
  values: Partial<Record<StatisticKey, string>>,
): Promise<void> {
  await sql`
    insert into site.statistic (key, value)
    select key, value
    from unnest(${Object.keys(values)}::text[], ${Object.values(values)}::text[]) as input (key, value)
    on conflict (key) do update
    set value = excluded.value`
}

/** Resets a statistic to its default; returns whether it had been set. */
export const deleteStatistic = (sql: Sql, key: StatisticKey) =>
  anyRow(sql`
    delete from site.statistic
    where key = ${key}`)
