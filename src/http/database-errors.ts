import postgres from 'postgres'
import { codeOf, isCertificateError, messageOf, stackOf } from '../common/errors.ts'
import { Problem, unavailable } from './route/problem.ts'
import type { Conflicts } from './route/route.ts'

/** Error codes of postgres.js and of sockets for a database that could not be reached or closed the connection. */
const unreachableCodes = new Set([
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

/** SQLSTATE (PostgreSQL, appendix A), complete or its two-character class → error answer. The longer key wins. */
const bySqlState: Readonly<Record<string, (log: string) => Problem>> = {
  '08': (log) => unavailable('the database is away', log),
  '22': (log) => new Problem(400, 'a value cannot be stored', { log }),
  '23': (log) => new Problem(409, 'the change conflicts with what is stored', { log }),
  // The row that the new one refers to was deleted concurrently. Deletions have other sentences (`mapConstraints`).
  '23503': (log) => new Problem(404, 'not found', { log }),
  '25006': (log) => unavailable('the database is read-only', log, 5),
  '28': (log) => unavailable('the database does not accept the connection', log, 5),
  '3D': (log) => unavailable('the database does not accept the connection', log, 5),
  '40': (log) => unavailable('the database is busy', log),
  '53': (log) => unavailable('the database is out of resources', log, 5),
  '54000': (log) => new Problem(400, 'a value cannot be stored', { log }),
  '55P03': (log) => unavailable('the database is busy', log),
  '57': (log) => unavailable('the database is away', log),
  '58': (log) => unavailable('the database has a fault of its machine', log, 5),
}

/** Severities of errors that prevent or end a connection. */
const endsConnection: ReadonlySet<string> = new Set(['FATAL', 'PANIC'])

/** What a caller is told of any error: of one that nobody expects, nothing. */
export const problemOf = (error: unknown, conflicts: Conflicts = {}): Problem =>
  error instanceof Problem
    ? error
    : (problemFromDatabaseError(error, conflicts) ??
      new Problem(500, 'internal error', { log: stackOf(error) }))

/**
 * The error answer for a database error: first by the constraints of the route, then by the table of SQLSTATEs.
 * Undefined for errors that only a bug of this server can cause.
 */
export function problemFromDatabaseError(error: unknown, conflicts: Conflicts): Problem | undefined {
  if (error instanceof postgres.PostgresError) {
    return problemFromConstraint(error, conflicts) ?? problemFromState(error)
  }
  const code = codeOf(error)
  if (code === undefined) return undefined
  const log = `${code} ${messageOf(error)}`
  if (unreachableCodes.has(code) || code.startsWith('ERR_SSL_'))
    return unavailable('the database is away', log)
  return isCertificateError(error) ? unavailable('the database cannot be trusted', log, 5) : undefined
}

/**
 * An error that ends the connection is never caused by a statement, whatever its SQLSTATE says: 55000 is the state of a
 * database that accepts no connections, 25P03 that of a transaction that was idle for too long.
 */
function problemFromState(error: postgres.PostgresError): Problem | undefined {
  const { code, severity } = error
  const log = textOf(error)
  const problem = (bySqlState[code] ?? bySqlState[code.slice(0, 2)])?.(log)
  if (problem?.status === 503 || !endsConnection.has(severity)) return problem
  return unavailable('the database does not accept the connection', log)
}

const textOf = ({ code, message }: postgres.PostgresError) => `${code} ${message}`

/** Code and message of a PostgreSQL error, or undefined for any other error. */
export const messageFromPostgres = (error: unknown): string | undefined =>
  error instanceof postgres.PostgresError ? textOf(error) : undefined

/** Whether a statement failed because the database is unreachable, busy or out of resources. */
export function isUnavailable(error: unknown): boolean {
  return problemFromDatabaseError(error, {})?.status === 503
}

/**
 * Whether the database server does not accept the user name, password, database or a parameter of `DATABASE_URL`, or has an
 * untrusted certificate: retrying would not help. With 55P02 and the classes 22 and 42 it rejects a parameter that is
 * unknown, fixed, invalid or not for this role.
 */
export function isRejectedByServer(error: unknown): boolean {
  if (error instanceof postgres.PostgresError)
    return (
      /^(28|3D)/.test(error.code) || (/^(22|42|55P02)/.test(error.code) && endsConnection.has(error.severity))
    )
  return isCertificateError(error)
}

/**
 * The result of `work`; if it violated one of these constraints, its error. For sentences that contain values of the
 * request; constant sentences belong in the `conflicts` of the route.
 * @throws Problem of `conflicts`; otherwise the error of `work`
 */
export async function mapConstraints<Result>(work: Promise<Result>, conflicts: Conflicts): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw problemFromConstraint(error, conflicts) ?? error
  }
}

function problemFromConstraint(error: unknown, conflicts: Conflicts): Problem | undefined {
  if (!(error instanceof postgres.PostgresError)) return undefined
  const constraint = error.constraint_name ?? ''
  const [status, sentence] = (Object.hasOwn(conflicts, constraint) && conflicts[constraint]) || []
  if (status === undefined || sentence === undefined) return undefined
  return new Problem(status, sentence, { log: textOf(error) })
}
