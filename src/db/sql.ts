import type postgres from 'postgres'

/** What postgres.js writes and reads in our way (`open.ts`). */
type Types = { bigint: number; moment: string }

/** A connection or a transaction: the first parameter of every function that holds a statement. */
export type Sql = postgres.ISql<Types>

/** The pool itself, which can also begin transactions, stream and end. */
export type Pool = postgres.Sql<Types>

/** A transaction: `now` is one instant for all rows it writes. */
export interface Tx extends Sql {
  readonly now: Date
}

/** Runs `work` in one transaction; it may run again after a serialization failure, so it must be repeatable. */
export type Begin = <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>
