import postgres from 'postgres'
import { Problem, unavailable } from '../http/problem.ts'
import type { Conflicts } from '../http/route.ts'

/** Codes of postgres.js and of sockets that mean: the database was not reached, or went away. */
const away = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
])

/** SQLSTATE (PostgreSQL, appendix A), whole or its class of two → what the caller hears. The longer key wins. */
const bySqlState: Readonly<Record<string, (log: string) => Problem>> = {
  '08': (log) => unavailable('the database is away', log),
  '22': (log) => new Problem(400, 'a value cannot be stored', { log }),
  '23': (log) => new Problem(409, 'the change conflicts with what is stored', { log }),
  // What the new row refers to has gone in the same moment. A deletion that is refused says so itself (`refusing`).
  '23503': (log) => new Problem(404, 'not found', { log }),
  '25006': (log) => unavailable('the database is read-only', log, 5),
  '28': (log) => unavailable('the database turns us away', log, 5),
  '3D': (log) => unavailable('the database turns us away', log, 5),
  '40': (log) => unavailable('the database is busy', log),
  '53': (log) => unavailable('the database is out of resources', log, 5),
  '54000': (log) => new Problem(400, 'a value cannot be stored', { log }),
  '55P03': (log) => unavailable('the database is busy', log),
  '57': (log) => unavailable('the database is away', log),
}

/**
 * The refusal behind a database error: a constraint that the route knows first, then the table of SQLSTATEs.
 * Undefined for what only we can have caused.
 */
export function refusalOf(error: unknown, conflicts: Conflicts): Problem | undefined {
  if (error instanceof postgres.PostgresError) {
    const log = `${error.code} ${error.message}`
    const constraint = error.constraint_name ?? ''
    const [status, sentence] = (Object.hasOwn(conflicts, constraint) && conflicts[constraint]) || []
    if (status !== undefined && sentence !== undefined) return new Problem(status, sentence, { log })
    return (bySqlState[error.code] ?? bySqlState[error.code.slice(0, 2)])?.(log)
  }
  if (error instanceof Error && 'code' in error && away.has(String(error.code))) {
    return unavailable('the database is away', `${error.code} ${error.message}`)
  }
  return undefined
}

/** Whether a statement failed because the database is away, busy or out of resources, and not for what it says. */
export function isAway(error: unknown): boolean {
  return refusalOf(error, {})?.status === 503
}

/** Whether the database is there and does not know the name, the password or the database of `DATABASE_URL`. */
export function turnsUsAway(error: unknown): boolean {
  return error instanceof postgres.PostgresError && /^(28|3D)/.test(error.code)
}

/** What a statement would have broken: a constraint, and the table that has it. */
export interface Violation {
  constraint: string
  table: string
}

/**
 * What `work` gives, or the refusal that `say` knows for the constraint it would have broken. For sentences that name
 * something of the request; those that do not stand in the route's `conflicts`.
 * @throws Problem what `say` gives; else the error of `work`
 */
export async function refusing<Result>(
  work: Promise<Result>,
  say: (broken: Violation) => Problem | undefined,
): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error
    const { constraint_name: constraint = '', table_name: table = '' } = error
    throw (constraint !== '' && say({ constraint, table })) || error
  }
}
