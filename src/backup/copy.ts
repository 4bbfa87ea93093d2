import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Sql } from '../db/sql.ts'

/** A `copy … from stdin` in progress. The database may reject a row at any time, also between two writes. */
export class Copy {
  readonly #rows: Writable
  /** Settles when the database has stored all rows, or has rejected one. */
  readonly #stored: Promise<void>

  private constructor(rows: Writable) {
    this.#rows = rows
    this.#stored = finished(rows)
    // The next call reports a failure.
    this.#stored.catch(() => {})
  }

  static async begin(sql: Sql, statement: string): Promise<Copy> {
    return new Copy(await sql.unsafe(statement).writable())
  }

  /** @throws Error of the database */
  async write(chunk: Buffer): Promise<void> {
    // A stream that is destroyed never drains.
    if (this.#rows.destroyed) return await this.#stored
    if (!this.#rows.write(chunk)) await Promise.race([once(this.#rows, 'drain'), this.#stored])
  }

  /** @throws Error of the database */
  async end(): Promise<void> {
    this.#rows.end()
    await this.#stored
  }

  /** Ends it early, so that the transaction can be rolled back. */
  abort(error: Error): void {
    this.#rows.destroy(error)
  }
}
