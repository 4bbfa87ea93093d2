import type { PostgresServer } from '../../support/postgres-server.ts'

/** One subject of measurement: a file of its own in this folder, and an entry in `list.ts`. */
export interface Bench {
  /** One word; `npm run bench -- <word>` runs those whose name contains it. */
  name: string
  /** What is measured and how, in a sentence or two for the report. */
  about: string
  run: (context: BenchContext) => Promise<Report>
}

/** What a bench gets: the built server, a database server, a folder, and how thoroughly to measure. */
export interface BenchContext {
  /** Path of the built server. */
  product: string
  /** Path of a bundled script of the bench, by its name: `peers/bare`. */
  script: (name: string) => string
  /** An empty folder that is removed afterwards. */
  folder: string
  /** A throw-away server with fsync on; started when it is first asked for. */
  postgres: () => Promise<PostgresServer>
  settings: Settings
  /** Says on the terminal what goes on. */
  say: (line: string) => void
}

/** How thoroughly to measure (`BENCH_SECONDS`, `BENCH_ROUNDS`, `BENCH_ROWS`). */
export interface Settings {
  /** Of one measurement; a third of it again is warm-up. */
  seconds: number
  /** Of each measurement; the median counts. */
  rounds: number
  /** Of the large tables. */
  rows: number
}

/** What a bench has found. */
export interface Report {
  tables: Table[]
  /** Each target, with what was reached. */
  targets: Target[]
  /** Sentences that a reader of the numbers should know. */
  notes: string[]
}

export interface Table {
  columns: readonly string[]
  rows: readonly (readonly string[])[]
}

export interface Target {
  what: string
  bound: 'at least' | 'at most'
  wanted: number
  /** One value, or one for each round: their median counts. */
  reached: readonly number[]
  unit: string
  /** Whether the summary of the report shows it also when it is met. */
  isKey?: true
}

type Reached = number | readonly number[]

const listOf = (reached: Reached) => (typeof reached === 'number' ? [reached] : reached)

export const atLeast = (what: string, wanted: number, reached: Reached, unit: string): Target => ({
  ...{ what, bound: 'at least', wanted, reached: listOf(reached), unit },
})

export const atMost = (what: string, wanted: number, reached: Reached, unit: string): Target => ({
  ...{ what, bound: 'at most', wanted, reached: listOf(reached), unit },
})

export const key = (target: Target): Target => ({ ...target, isKey: true })

export function isMet({ bound, wanted, reached }: Target): boolean {
  const value = median(reached)
  return bound === 'at least' ? value >= wanted : value <= wanted
}

/** The middle one; of an even number the upper of the two. */
export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** The value below which that share of the values lies; NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN
}
