import { createHash } from 'node:crypto'
import { isRetryable } from '../../db/begin.ts'
import type { Secrets } from '../../db/encryption/secrets.ts'
import type { Begin, Sql, Tx } from '../../db/sql.ts'
import { badRequest, Problem, unavailable, unprocessable } from '../route/problem.ts'
import { Completion } from '../route/results.ts'
import type { RouteFacts } from '../route/route.ts'
import { answerPurpose, answerUnder, insertKey, storeAnswer, tryLock } from './idempotency-store.ts'

/** How long an answer is stored, in milliseconds. */
export const RETENTION = 24 * 60 * 60 * 1000

/** The transaction that stores the answer, in which the handler works. */
interface Within {
  sql: Sql
  begin: Begin
}

/** Where keys are stored, and how their answers are encrypted. */
interface Keys {
  begin: Begin
  secrets: Secrets
}

/** The part of a reply that is stored. */
interface Answer {
  status: number
  headers: readonly string[]
  chunks: readonly Buffer[]
  length: number
}

/** A creating request with a key. */
interface KeyedRequest {
  /** Equal for equal callers with equal credentials. */
  caller: string
  route: RouteFacts
  /** Path and query. */
  url: string
  key: string
  /** The body as it was parsed. */
  body: unknown
  now: Date
}

/** @throws Problem 400 if it is not 1 to 255 visible ASCII characters */
export function checkKey(key: string): string {
  if (/^[!-~]{1,255}$/.test(key)) return key
  throw badRequest('Idempotency-Key must be 1 to 255 visible ASCII characters')
}

/**
 * Runs a request at most once for its key: the same request again gets the same answer, with `Idempotency-Replayed`.
 * The answer is stored in the transaction in which the handler works, so that a crash leaves both or neither. Only
 * answers of success are stored: after any other one the key is free again.
 * @throws Problem 409 while a request with the key runs, 422 if the key was used for another request
 */
export async function runOnce(
  { begin, secrets }: Keys,
  request: KeyedRequest,
  run: (within: Within) => Promise<Answer>,
): Promise<Answer> {
  const { digest, requestHash } = hashesOf(request)
  return begin(async (tx) => {
    const stored = await takeKey(tx, secrets, request)
    if (stored) return stored
    const id = await insertKey(tx, { digest, request: requestHash, now: request.now })
    const reply = await run({ sql: tx, begin: tx.nested }).catch(rejectRetry)
    await storeAnswer(tx, id, secrets.encrypt(textOf(reply), answerPurpose(id)))
    return reply
  })
}

/** How a request that reserves something is run and answered. */
interface Reserving {
  /** The handler: returns a `Completion` when its reservation is committed. */
  reserve: () => Promise<unknown>
  replyTo: (made: unknown) => Promise<Answer>
}

/**
 * Like `runOnce`, for a handler that commits a reservation first, so that after a crash the repair finds what is unfinished.
 * Only the rest of its work runs in the transaction that stores the answer; if it fails, the key is free again.
 * @throws Problem 409, 422 as `runOnce`
 */
export async function reserveOnce(
  keys: Keys,
  request: KeyedRequest,
  { reserve, replyTo }: Reserving,
): Promise<Answer> {
  const stored = await keys.begin((tx) => takeKey(tx, keys.secrets, request))
  if (stored) return stored
  const reserved = await reserve()
  if (!(reserved instanceof Completion)) throw new Error(`${request.route.literal} reserves nothing`)
  return reserved.orAbandon(
    runOnce(keys, request, async (within) => replyTo(await reserved.complete(within))),
  )
}

/**
 * Takes the key until the end of the transaction; returns the stored answer, if there is one.
 * @throws Problem 409 another transaction has it, 422 it was used for another request
 */
async function takeKey(tx: Tx, secrets: Secrets, request: KeyedRequest): Promise<Answer | undefined> {
  const { digest, requestHash } = hashesOf(request)
  if (!(await tryLock(tx, digest))) throw running()
  const row = await answerUnder(tx, digest, new Date(request.now.getTime() - RETENTION))
  if (!row?.sealed) return undefined
  if (!row.request.equals(requestHash)) throw reused()
  return replayed(secrets.decrypt(row.sealed, answerPurpose(row.id)))
}

/** The hash under which a key is stored, and the hash that tells whether it is the same request. */
function hashesOf({ caller, route, url, key, body }: KeyedRequest): { digest: Buffer; requestHash: Buffer } {
  const [path = '', query = ''] = url.split('?', 2)
  return { digest: hash([caller, route.method, path, key]), requestHash: hash([query, body ?? null]) }
}

const hash = (parts: readonly unknown[]) => createHash('sha256').update(JSON.stringify(parts)).digest()

const running = () =>
  new Problem(409, 'a request with this Idempotency-Key is running', { headers: { 'Retry-After': '1' } })

const reused = () => unprocessable('this Idempotency-Key was used for another request')

/**
 * A handler has effects outside of the database, so the transaction in which it works is not repeated; the client may.
 * @throws Problem 503, or the error
 */
export function rejectRetry(error: unknown): never {
  throw isRetryable(error) ? unavailable('the database is busy', String(error)) : error
}

function textOf({ status, headers, chunks }: Answer): string {
  return JSON.stringify({ status, headers, body: chunks.map(String).join('') })
}

function replayed(text: string): Answer {
  const { status, headers, body } = JSON.parse(text) as Pick<Answer, 'status' | 'headers'> & { body: string }
  const bytes = Buffer.from(body)
  const chunks = bytes.length > 0 ? [bytes] : []
  return { status, headers: [...headers, 'Idempotency-Replayed', 'true'], chunks, length: bytes.length }
}
