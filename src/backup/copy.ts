import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Sql } from '../db/sql.ts'

/** A `copy … from stdin` that is under way. The database may refuse a row at any time: between two writes, too. */
export class Copy {
  readonly #rows: Writable
  /** Settles when the database has taken all rows, or has refused one. */
  readonly #taken: Promise<void>

  private constructor(rows: Writable) {
    this.#rows = rows
    this.#taken = finished(rows)
    // Nobody may be waiting when it fails; the next call reports it.
    this.#taken.catch(() => {})
  }

  static async begin(sql: Sql, statement: string): Promise<Copy> {
    return new Copy(await sql.unsafe(statement).writable())
  }

  /** @throws Error of the database */
  async write(chunk: Buffer): Promise<void> {
    // A stream that is destroyed never drains.
    if (this.#rows.destroyed) return await this.#taken
    if (!this.#rows.write(chunk)) await Promise.race([once(this.#rows, 'drain'), this.#taken])
  }

  /** @throws Error of the database */
  async end(): Promise<void> {
    this.#rows.end()
    await this.#taken
  }

  /** Ends it before its time, so that the transaction can be rolled back. */
  abort(error: Error): void {
    this.#rows.destroy(error)
  }
}
