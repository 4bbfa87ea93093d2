import { closeSync, mkdirSync, openSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import type { BenchContext } from './bench.ts'
import { type Child, startChild } from './child.ts'
import { type Amounts, fill, type Place } from './fill.ts'

/**
 * Starts the built server on a database. Its log goes to `log`, or nowhere; `settings` are variables of its environment;
 * `port` is where it listens, or a free one.
 */
export async function startProduct(
  context: BenchContext,
  place: Place,
  {
    logLevel = 'warn',
    log,
    settings = {},
    port,
  }: { logLevel?: string; log?: string; settings?: Readonly<Record<string, string>>; port?: number } = {},
): Promise<Child> {
  const database = 'url' in place ? { DATABASE_URL: place.url } : { DATA_DIR: place.dataDir }
  const output = log === undefined ? undefined : openSync(log, 'a')
  try {
    return await startChild({
      words: [context.product],
      environment: { ...database, LOG_LEVEL: logLevel, ...settings },
      healthPath: '/api/health',
      ...(output !== undefined && { output }),
      ...(port !== undefined && { port }),
    })
  } finally {
    if (output !== undefined) closeSync(output)
  }
}

/** Bare `node:http`: it answers `/6500` with as many bytes. */
export const startBare = (context: BenchContext): Promise<Child> =>
  startChild({ words: [context.script('peers/bare')], environment: {}, healthPath: '/1' })

/** Fastify with pg, on a new database. */
export async function startFastify(context: BenchContext, name: string, amounts: Amounts): Promise<Child> {
  const { url } = await newDatabase(context, name)
  await fill({ url }, amounts)
  return startChild({
    words: [context.script('peers/fastify')],
    environment: { DATABASE_URL: url },
    healthPath: '/api/health',
  })
}

/** What was logged so far is measured; it need not be kept. */
export function emptyLog(log: string): void {
  truncateSync(log)
}

/** A new database of its own on the throw-away server. */
export async function newDatabase(context: BenchContext, name: string): Promise<{ url: string }> {
  const { url } = await context.postgres()
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await sql.unsafe(`create database ${name}`)
  await sql.end()
  return { url: Object.assign(new URL(url), { pathname: `/${name}` }).href }
}

/** A folder for a new embedded database. */
export function newFolder(context: BenchContext, name: string): { dataDir: string } {
  const dataDir = join(context.folder, name)
  mkdirSync(dataDir)
  return { dataDir }
}

/** The two kinds of database that the product runs on. */
export const kinds = ['PostgreSQL', 'embedded'] as const
export type Kind = (typeof kinds)[number]

/** A new database of a kind, migrated and filled. */
export async function newFilled(
  context: BenchContext,
  kind: Kind,
  name: string,
  amounts: Amounts,
): Promise<Place> {
  const place = kind === 'PostgreSQL' ? await newDatabase(context, name) : newFolder(context, name)
  await fill(place, amounts)
  return place
}
