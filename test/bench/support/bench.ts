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
  /** `at least` or `at most` this. */
  bound: 'at least' | 'at most'
  wanted: number
  reached: number
  unit: string
}

export const atLeast = (what: string, wanted: number, reached: number, unit: string): Target => ({
  ...{ what, bound: 'at least', wanted, reached, unit },
})

export const atMost = (what: string, wanted: number, reached: number, unit: string): Target => ({
  ...{ what, bound: 'at most', wanted, reached, unit },
})

export const isMet = ({ bound, wanted, reached }: Target) =>
  bound === 'at least' ? reached >= wanted : reached <= wanted

/** The middle one; of an even number the upper of the two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
