import type postgres from 'postgres'

/** What postgres.js writes and reads in our way (`open.ts`). */
type Types = { bigint: number; moment: string }

/** A connection or a transaction: the first parameter of every function that holds a statement. */
export type Sql = postgres.ISql<Types>

/** A piece of a statement, to be put into another. */
export type Fragment = postgres.Fragment

/** The pool itself, which can also begin transactions, stream and end. */
export type Pool = postgres.Sql<Types>

/** A transaction as the pool gives it: with savepoints, without the rest of `Tx`. */
export type Transaction = postgres.TransactionSql<Types>

/** Whether statements run one after the other, in the order in which they are given: over one connection they do. */
export function runsInOrder(sql: Sql): boolean {
  const { options } = sql as Partial<Pool>
  return options === undefined || options.max === 1
}

/** An event that is to be written. */
export interface EventDraft {
  kind: string
  payload: object
}

/** A transaction: `now` is one instant for all rows it writes. */
export interface Tx extends Sql {
  readonly now: Date
  /**
   * Writes an event into the outbox (design, section 4): it is spread to webhooks and workflows if, and only if, this
   * transaction commits, and survives the end of the process. It is kept as its JSON text, in the order of its keys.
   */
  emit(kind: string, payload: object): Promise<void>
  /** Writes events in their order with one statement, which holds all of them as text: a few hundred at a time. */
  emitAll(events: readonly EventDraft[]): Promise<void>
  /** Wakes what runs after commits, here and in other processes, for rows that were queued without an event. */
  wake(): Promise<void>
  /**
   * Calls `fn` after the commit, in this process; not after a rollback. It may be lost with the process, so nothing
   * that must happen belongs here. What it throws is a warning of the process and concerns nobody else.
   */
  afterCommit(fn: () => void): void
}

/** Runs `work` in one transaction; it may run again after a serialization failure, so it must be repeatable. */
export type Begin = <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>
