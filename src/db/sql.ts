import type postgres from 'postgres'
import type { Fields } from '../log.ts'

/** Custom types of postgres.js (`open.ts`). */
type Types = { bigint: number; moment: string }

/** A connection or a transaction: the first parameter of every function that holds a statement. */
export type Sql = postgres.ISql<Types>

/** A part of a statement, for use in another one. */
export type Fragment = postgres.Fragment

/** The pool itself, which can also begin transactions, stream and end. */
export type Pool = postgres.Sql<Types>

/** A transaction as postgres.js provides it: with savepoints, without the additions of `Tx`. */
export type Transaction = postgres.TransactionSql<Types>

/** Whether statements run one after another in the order in which they are sent: true for a single connection. */
export function runsInOrder(sql: Sql): boolean {
  const { options } = sql as Partial<Pool>
  return options === undefined || options.max === 1
}

/** A time within JSON, in the form in which the connection pool returns times. */
export const timeText = (sql: Sql, time: Fragment) =>
  sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** An event to write. */
export interface EventDraft {
  kind: string
  payload: object
  /** The request that it follows from, where the transaction is not of that request alone. */
  requestId?: string
}

/** A transaction: `now` is one instant for all rows it writes. */
export interface Tx extends Sql {
  readonly now: Date
  /** `X-Request-Id` of the request that began it, if one did. */
  readonly requestId: string | undefined
  /**
   * Writes events into the outbox (`background/domain-events.ts`), in order: they are dispatched to their consumers if
   * and only if this transaction commits, even if the process ends. Payloads are stored as JSON text, in the order of
   * their members. One statement contains all of them: pass a few hundred at most.
   */
  emitAll(events: readonly EventDraft[]): Promise<void>
  /** Runs `work` as a part of this transaction that can fail alone (a savepoint). */
  nested: Begin
  /** Notifies the workers that run after commits, here and in other processes, of rows queued without an event. */
  wake(): Promise<void>
  /**
   * Calls `fn` after the commit, in this process; not after a rollback. The call is lost if the process ends, so it
   * must not do anything essential. An error that it throws becomes a process warning.
   */
  afterCommit(fn: () => void): void
  /** Writes a line at level `info` after the commit. A process without a log, such as a command, writes nothing. */
  report(message: string, fields: Fields): void
}

/**
 * Whether statements run in a transaction. It has a connection until it ends, so its owner must not wait there for somebody
 * who needs another one.
 */
export const isTransaction = (sql: Sql): sql is Tx => 'nested' in sql

/**
 * Runs `work` in one transaction; it may run again after a serialization failure, so it must be repeatable. The
 * transaction has the id `requestId`.
 */
export interface Begin {
  <Result>(work: (tx: Tx) => Promise<Result>, requestId?: string): Promise<Result>
  /** If this function is for one request (`beginFor`): the request, and the function that all requests share. */
  readonly request?: { readonly id: string; readonly begin: Begin }
}
