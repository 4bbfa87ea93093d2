import { createHash } from 'node:crypto'
import { isRetryable } from '../../db/begin.ts'
import type { Secrets } from '../../db/encryption/secrets.ts'
import type { Begin, Sql } from '../../db/sql.ts'
import type { Reply } from '../pipeline/reply.ts'
import { badRequest, Problem, unavailable, unprocessable } from '../route/problem.ts'
import type { RouteFacts } from '../route/route.ts'
import { answerPurpose, answerUnder, insertKey, storeAnswer, tryLock } from './idempotency-store.ts'

/** How long an answer is kept, in milliseconds. */
export const KEPT = 24 * 60 * 60 * 1000

/** Where a handler works: inside the transaction that stores its answer. */
interface Within {
  sql: Sql
  begin: Begin
}

/** A creating request with a key. */
interface KeyedRequest {
  /** Whose key it is: equal for equal callers with equal credentials. */
  caller: string
  route: RouteFacts
  /** Path and query. */
  url: string
  key: string
  /** The body as it was parsed. */
  body: unknown
  now: Date
}

/** Whether a route creates something, and so takes an `Idempotency-Key`. */
export const isCreation = ({ method, status, also, sends }: RouteFacts): boolean =>
  method === 'POST' && sends === 'value' && [status, ...also].includes(201)

/** @throws Problem 400 if it is not 1 to 255 visible ASCII characters */
export function checkKey(key: string): string {
  if (/^[!-~]{1,255}$/.test(key)) return key
  throw badRequest('Idempotency-Key must be 1 to 255 visible ASCII characters')
}

/**
 * Runs a request at most once for its key: the same request again gets the same answer, with `Idempotency-Replayed`.
 * The answer is stored in the transaction in which the handler works, so that after a crash both are there or neither.
 * Only answers of success are stored: after any other one the key is free again.
 * @throws Problem 409 while a request with the key runs, 422 if the key was used for another request
 */
export async function runOnce(
  { begin, secrets }: { begin: Begin; secrets: Secrets },
  request: KeyedRequest,
  run: (within: Within) => Promise<Reply>,
): Promise<Reply> {
  const { caller, route, url, key, body, now } = request
  const [path = '', query = ''] = url.split('?', 2)
  const digest = hash([caller, route.method, path, key])
  const asked = hash([query, body ?? null])
  return begin(async (tx) => {
    if (!(await tryLock(tx, digest))) throw running()
    const known = await answerUnder(tx, digest, new Date(now.getTime() - KEPT))
    if (known?.sealed) {
      if (!known.request.equals(asked)) throw reused()
      return replayed(secrets.decrypt(known.sealed, answerPurpose(known.id)))
    }
    const id = await insertKey(tx, { digest, request: asked, now })
    const reply = await run({ sql: tx, begin: tx.nested }).catch(refuseRetry)
    await storeAnswer(tx, id, secrets.encrypt(stored(reply), answerPurpose(id)))
    return reply
  })
}

const hash = (parts: readonly unknown[]) => createHash('sha256').update(JSON.stringify(parts)).digest()

const running = () =>
  new Problem(409, 'a request with this Idempotency-Key is running', { headers: { 'Retry-After': '1' } })

const reused = () => unprocessable('this Idempotency-Key was used for another request')

/** A handler has effects outside of the database, so its transaction is not repeated here; the client may. */
function refuseRetry(error: unknown): never {
  throw isRetryable(error) ? unavailable('the database is busy', String(error)) : error
}

function stored({ status, headers, chunks }: Reply): string {
  return JSON.stringify({ status, headers, body: chunks.map(String).join('') })
}

function replayed(text: string): Reply {
  const { status, headers, body } = JSON.parse(text) as Pick<Reply, 'status' | 'headers'> & { body: string }
  const bytes = Buffer.from(body)
  const chunks = bytes.length > 0 ? [bytes] : []
  return { status, headers: [...headers, 'Idempotency-Replayed', 'true'], chunks, length: bytes.length }
}
