import type { Duplex } from 'node:stream'
import postgres from 'postgres'
import type { Pool } from './sql.ts'

/** Where the database is: an address, or streams that lead to the embedded one. */
export type Source = ({ url: string } | { connect: () => Duplex }) & {
  poolSize: number
  /** Longest run of one statement, in milliseconds; absent: as long as it takes, as a migration may. */
  statementTimeout?: number
}

/** PostgreSQL's own numbers (`pg_type`) of what arrays consist of here, and of those arrays. */
const arrayTypes = [
  [20, 1016], // int8
  [23, 1007], // int4
  [25, 1009], // text
  [701, 1022], // float8
  [1184, 1185], // timestamptz
  [2950, 2951], // uuid
] as const

/**
 * Opens the pool. Nothing is connected before the first statement, so a database that is away is no error here.
 * `int8` comes back as a number (all ours are counts and ids within the exact range), and a moment as ISO 8601 text
 * in UTC with milliseconds: what is stored, printed and sorted is the same.
 */
export function openPool(source: Source): Pool {
  const { statementTimeout = 0 } = source
  const options = {
    max: source.poolSize,
    connect_timeout: 5,
    idle_timeout: 0,
    max_lifetime: null,
    // Come back quickly: the first request after an outage should not wait for a backoff of minutes.
    backoff: (retries: number) => Math.min(0.05 * 2 ** retries, 1),
    onnotice: () => {},
    connection: {
      application_name: 'forgehall',
      TimeZone: 'UTC',
      statement_timeout: statementTimeout,
      // A process that stands still (SIGSTOP, a machine that is suspended) keeps its connections, and with them every lock
      // of a transaction that it was in: it loses that, so that it holds up nobody else.
      idle_in_transaction_session_timeout: statementTimeout,
      // Where some tables are analyzed and others not, PostgreSQL may expect millions of rows of a look-up that finds one,
      // and then compile it to machine code for a second, each time it is asked. No statement here runs so long.
      jit: 'off',
    },
    fetch_types: false,
    // An option of our own (`src/build/postgres.ts`), as is `silence_timeout`, in seconds.
    array_types: arrayTypes,
    // A server that has not said a word for longer than any statement may run will not say one any more.
    silence_timeout: (statementTimeout * 1.5) / 1000,
    types: {
      bigint: {
        to: 20,
        from: [20],
        parse: (text: string) => Number(text),
        serialize: (value: number) => String(value),
      },
      moment: { to: 1184, from: [1184], parse: isoText, serialize: momentText },
    },
  }
  if ('url' in source) return postgres(source.url, options)
  // `socket` stands in the documentation of postgres.js and is missing from its types.
  const embedded = { ...options, username: 'postgres', database: 'postgres', socket: source.connect }
  return postgres(embedded)
}

/** PostgreSQL's `2026-01-31 08:00:00.1+00` (session time zone UTC) as `2026-01-31T08:00:00.100Z`. */
export function isoText(text: string): string {
  const match = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3})\d*)?\+00$/.exec(text)
  return match ? `${match[1]}T${match[2]}.${(match[3] ?? '').padEnd(3, '0')}Z` : text
}

const momentText = (moment: Date | string): string => (moment instanceof Date ? moment.toISOString() : moment)
