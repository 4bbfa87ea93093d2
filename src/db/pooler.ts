import { setTimeout as pause } from 'node:timers/promises'
import { OperatorError } from '../common/errors.ts'
import { openPool } from './open.ts'
import { onlyRow } from './rows.ts'
import type { Sql } from './sql.ts'

/** What an operator does about a pooler that loses prepared statements. */
export const poolerAdvice =
  'set pool_mode = session, or use PgBouncer 1.21 or newer with max_prepared_statements'

class PoolerError extends OperatorError {
  override readonly exitCode = 2
}

/** Milliseconds for a statement of the check: it waits while the pooler has no session left. */
const patience = 1_000

/** The session of the server that runs a statement, and the names of the prepared statements in it. */
interface Session {
  id: number
  statements: string[]
}

/**
 * Whether a pooler in front of the database gives a client for its next transaction a session that lacks the statements
 * which the client has prepared. PgBouncer does so in transaction mode before 1.21, and later with
 * `max_prepared_statements = 0`; statements then fail at random. Looks twice, because a connection that is lost in between
 * looks alike.
 */
export async function losesStatements(url: string): Promise<boolean> {
  return (await lostOne(url)) && (await lostOne(url))
}

/** @throws PoolerError for a pooler that loses prepared statements */
export async function requireKeptStatements(url: string): Promise<void> {
  if (await losesStatements(url))
    throw new PoolerError(`the pooler at DATABASE_URL loses prepared statements; ${poolerAdvice}`)
}

async function lostOne(url: string): Promise<boolean> {
  const [client, other] = [openOne(url), openOne(url)]
  const timer = new AbortController()
  try {
    const before = await sessionOf(client)
    return await other.begin(async (tx) => {
      // A pooler gives the session that was used last, so the client needs another one.
      await sessionOf(tx)
      const waited = pause(patience, undefined, { signal: timer.signal }).catch(() => undefined)
      const after = await Promise.race([sessionOf(client), waited])
      if (after === undefined || after.id === before.id) return false
      return !before.statements.some((name) => after.statements.includes(name))
    })
  } finally {
    timer.abort()
    await Promise.all([client, other].map((pool) => pool.end({ timeout: 1 })))
  }
}

const openOne = (url: string) => openPool({ url, poolSize: 1, statementTimeout: 5 * patience })

/** Prepared by the driver, so that it is in its own list. */
const sessionOf = (sql: Sql) =>
  onlyRow(sql<[Session]>`
    select pg_backend_pid() as id, array(
      select name
      from pg_prepared_statements
      where statement like '%pg_prepared_statements%'
    ) as statements`)
