import { createHash } from 'node:crypto'
import { isRetryable } from '../../db/begin.ts'
import type { Secrets } from '../../db/encryption/secrets.ts'
import type { Begin, Sql, Tx } from '../../db/sql.ts'
import { badRequest, Problem, unavailable, unprocessable } from '../route/problem.ts'
import type { RouteFacts } from '../route/route.ts'
import {
  answerPurpose,
  answerUnder,
  deleteKey,
  insertKey,
  storeAnswer,
  tryLock,
} from './idempotency-store.ts'

/** How long an answer is stored, in milliseconds. */
export const RETENTION = 24 * 60 * 60 * 1000

/**
 * How long a request counts as running, in milliseconds, unless it ends before: no proxy waits longer for an answer. After
 * that, its process is taken to have ended.
 */
export const maxRunning = 60_000

/** The transaction that stores the answer, in which the handler works. */
export interface Within {
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

/**
 * Like `runOnce`, for a handler that runs git: a transaction would hold a connection while it waits for git, which may wait
 * for a connection. The key is committed before the handler runs, and the answer after it. After a crash between them the
 * key is free again once `maxRunning` has passed; what the handler changes must then refuse to be made twice.
 * @throws Problem 409, 422 as `runOnce`
 */
export async function runMarked(
  { begin, secrets }: Keys,
  request: KeyedRequest,
  run: () => Promise<Answer>,
): Promise<Answer> {
  const { digest, requestHash } = hashesOf(request)
  const taken = await begin(async (tx) => {
    const stored = await takeKey(tx, secrets, request)
    return stored ?? (await insertKey(tx, { digest, request: requestHash, now: request.now }))
  })
  if (typeof taken !== 'number') return taken
  return whileMarked(run, {
    store: (reply) =>
      begin((tx) => storeAnswer(tx, taken, secrets.encrypt(textOf(reply), answerPurpose(taken)))),
    release: () => begin((tx) => deleteKey(tx, taken)),
  })
}

/** How a mark that other requests respect is replaced by a result, or removed. */
interface Mark<Result> {
  store: (result: Result) => Promise<unknown>
  release: () => Promise<unknown>
}

/**
 * Runs work outside of transactions while a committed mark keeps equal requests away: stores its result, or removes the mark
 * if the work fails. A mark that cannot be removed ends by itself (`maxRunning`).
 */
export async function whileMarked<Result>(
  work: () => Promise<Result>,
  { store, release }: Mark<Result>,
): Promise<Result> {
  let result: Result
  try {
    result = await work()
  } catch (error) {
    await release().catch(() => undefined)
    throw error
  }
  await store(result)
  return result
}

/**
 * Takes the key until the end of the transaction; returns the stored answer, if there is one.
 * @throws Problem 409 another transaction has it, 422 it was used for another request
 */
async function takeKey(tx: Tx, secrets: Secrets, request: KeyedRequest): Promise<Answer | undefined> {
  const { digest, requestHash } = hashesOf(request)
  if (!(await tryLock(tx, digest))) throw running()
  const ago = (milliseconds: number) => new Date(request.now.getTime() - milliseconds)
  const row = await answerUnder(tx, digest, { since: ago(RETENTION), runningSince: ago(maxRunning) })
  if (row?.is_running) throw running()
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
