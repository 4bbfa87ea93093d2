import postgres from 'postgres'
import type { Pool } from '../../src/db/sql.ts'
import { onServer, type TestDatabase } from './database.ts'
import { until } from './wait.ts'

/**
 * The plans of every statement that `work` runs, one text each. Only on a PostgreSQL server, since it needs a
 * connection of its own: give `database.url`.
 */
export async function plansOf(
  { url = '', pool }: TestDatabase,
  work: (pool: Pool) => Promise<unknown>,
): Promise<string[]> {
  const seen: { text: string; parameters: unknown[] }[] = []
  const watched = postgres(url, {
    max: 1,
    types: {
      bigint: { to: 20, from: [20], parse: Number, serialize: String },
      moment: { to: 1184, from: [1184], parse: String, serialize: texted },
    },
    debug: (_, text, parameters) => seen.push({ text, parameters: [...parameters] }),
  })
  try {
    await work(watched)
  } finally {
    await watched.end({ timeout: 5 })
  }
  const statements = seen.filter(
    ({ text }) => /^\s*(select|with)\b/.test(text) && !text.includes('pg_catalog'),
  )
  return Promise.all(statements.map(({ text, parameters }) => planOf(pool, text, parameters)))
}

/**
 * The tables that a plan reads from end to end. The count of a list reads a table from its beginning to a bound, if the
 * planner finds that the condition is frequent enough (decision 24).
 */
export const scannedIn = (plan: string): string[] =>
  [
    ...plan.replace(/Aggregate\n +-> {2}Limit\n +-> {2}Seq Scan on \w+/g, '').matchAll(/Seq Scan on (\w+)/g),
  ].map(([, table = '']) => table)

/**
 * Vacuums and analyzes, until it is known of these tables that all see their rows: another session may keep the first
 * vacuum from it, and no plan reads an index alone before.
 */
export async function vacuumed(pool: Pool, ...tables: readonly string[]): Promise<void> {
  await until(`all see the rows of ${tables.join(', ')}`, async () => {
    await pool.unsafe('vacuum analyze')
    const [row] = await pool<[{ seen: boolean }]>`
      select bool_and(relallvisible >= relpages / 2) as seen
      from pg_class
      where oid in (select name::regclass from unnest(${tables.map((table) => `forge.${table}`)}::text[]) as name)`
    return !onServer || row.seen
  })
}

async function planOf(pool: Pool, text: string, parameters: readonly unknown[]): Promise<string> {
  const rows = await pool.unsafe(`explain (costs off) ${text}`, parameters.map(spelt))
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

/** A parameter as the pool writes it. */
const spelt = (value: unknown) =>
  Array.isArray(value) || value === null || typeof value === 'boolean' ? value : texted(value)

const texted = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value))
