import postgres from 'postgres'
import { Problem, unavailable } from './route/problem.ts'
import type { Conflicts } from './route/route.ts'

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

/** What Node calls a certificate that nobody it trusts has signed, of another server, or of another time. */
const distrust = /CERT|^UNABLE_TO_|^INVALID_CA$/

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
export function problemFromDatabaseError(error: unknown, conflicts: Conflicts): Problem | undefined {
  if (error instanceof postgres.PostgresError) {
    const log = `${error.code} ${error.message}`
    const constraint = error.constraint_name ?? ''
    const [status, sentence] = (Object.hasOwn(conflicts, constraint) && conflicts[constraint]) || []
    if (status !== undefined && sentence !== undefined) return new Problem(status, sentence, { log })
    return (bySqlState[error.code] ?? bySqlState[error.code.slice(0, 2)])?.(log)
  }
  if (!(error instanceof Error && 'code' in error)) return undefined
  const log = `${error.code} ${error.message}`
  if (away.has(String(error.code)) || /^ERR_SSL_/.test(String(error.code)))
    return unavailable('the database is away', log)
  return isDistrusted(error) ? unavailable('the database cannot be trusted', log, 5) : undefined
}

const isDistrusted = (error: Error) =>
  !(error instanceof postgres.PostgresError) && 'code' in error && distrust.test(String(error.code))

/** PostgreSQL's own words, or undefined for any other error. */
export const messageFromPostgres = (error: unknown): string | undefined =>
  error instanceof postgres.PostgresError ? `${error.code} ${error.message}` : undefined

/** Whether a statement failed because the database is away, busy or out of resources, and not for what it says. */
export function isUnavailable(error: unknown): boolean {
  return problemFromDatabaseError(error, {})?.status === 503
}

/**
 * Whether the database is there and does not know the name, the password or the database of `DATABASE_URL`, or shows a
 * certificate that is not to be trusted: waiting would not help.
 */
export function isRefusedByServer(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return /^(28|3D)/.test(error.code)
  return error instanceof Error && isDistrusted(error)
}

/** What a statement would have broken: a constraint, and the table that has it. */
export interface ConstraintViolation {
  constraint: string
  table: string
}

/**
 * What `work` gives, or the refusal that `say` knows for the constraint it would have broken. For sentences that name
 * something of the request; those that do not stand in the route's `conflicts`.
 * @throws Problem what `say` gives; else the error of `work`
 */
export async function mapConstraints<Result>(
  work: Promise<Result>,
  say: (broken: ConstraintViolation) => Problem | undefined,
): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error
    const { constraint_name: constraint = '', table_name: table = '' } = error
    throw (constraint !== '' && say({ constraint, table })) || error
  }
}
