import type { Duplex } from 'node:stream'
import postgres from 'postgres'
import { arrayType } from './array-types.ts'
import type { Pool } from './sql.ts'

/** How to reach the database: an address, or streams to the embedded one. */
type Source = ({ url: string } | { connect: () => Duplex }) & {
  poolSize: number
  /** Timeout of one statement, in milliseconds; absent: none, as migrations need. */
  statementTimeout?: number
}

/**
 * `int8` is read as a number (all values are counts and ids within the exact range), and a time as ISO 8601 text in UTC
 * with milliseconds, so that the stored, printed and sorted values are the same.
 */
const types = {
  bigint: {
    to: 20,
    from: [20],
    parse: (text: string) => Number(text),
    serialize: (value: number) => String(value),
  },
  moment: { to: 1184, from: [1184], parse: isoText, serialize: momentText },
  // The arrays that statements use, by the names that PostgreSQL has for them.
  int8Array: arrayType(1016, Number),
  int4Array: arrayType(1007, Number),
  textArray: arrayType(1009),
  float8Array: arrayType(1022, Number),
  timestamptzArray: arrayType(1185, isoText, momentText),
  uuidArray: arrayType(2951),
}

/** Opens the pool. It connects with the first statement, so an unreachable database is not an error here. */
export function openPool(source: Source): Pool {
  const { statementTimeout = 0 } = source
  const options = {
    max: source.poolSize,
    // An unreachable server may never answer. The embedded one starts in this process, which may take long on a busy
    // machine, and reports when it cannot.
    connect_timeout: 'url' in source ? 5 : 0,
    idle_timeout: 0,
    max_lifetime: null,
    // Retry quickly: the first request after an outage should not wait for a backoff of minutes.
    backoff: (retries: number) => Math.min(0.05 * 2 ** retries, 1),
    onnotice: () => {},
    connection: {
      application_name: 'forgehall',
      TimeZone: 'UTC',
      statement_timeout: statementTimeout,
      // A stopped process (SIGSTOP, a suspended machine) keeps its connections and the locks of its open transaction.
      // PostgreSQL ends that transaction, so that it does not block others.
      idle_in_transaction_session_timeout: statementTimeout,
      // If only some tables are analyzed, PostgreSQL may expect millions of rows where one is found, and spend a second
      // on compiling the statement each time it runs. No statement here runs that long.
      jit: 'off',
    },
    fetch_types: false,
    // In seconds. `src/build/patches/postgres` adds this option: the driver gives up a server that has been silent for
    // longer than any statement may run.
    silence_timeout: (statementTimeout * 1.5) / 1000,
    types,
  }
  return 'url' in source ? postgres(source.url, options) : postgres(embedded(source, options))
}

/** `socket` is in the documentation of postgres.js but missing from its types. */
const embedded = <Options>({ connect }: { connect: () => Duplex }, options: Options) => ({
  ...options,
  username: 'postgres',
  database: 'postgres',
  socket: connect,
})

/** PostgreSQL's `2026-01-31 08:00:00.1+00` (session time zone UTC) as `2026-01-31T08:00:00.100Z`. */
export function isoText(text: string): string {
  const match = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3})\d*)?\+00$/.exec(text)
  return match ? `${match[1]}T${match[2]}.${(match[3] ?? '').padEnd(3, '0')}Z` : text
}

function momentText(moment: unknown): string {
  return moment instanceof Date ? moment.toISOString() : String(moment)
}
