import type { Secrets } from '../../db/encryption/secrets.ts'
import { checkKey, runMarked, runOnce, type Within } from '../idempotency/idempotency.ts'
import type { DatabaseLimiter } from '../reads/database-limiter.ts'
import type { ApiRequest } from '../route/api-request.ts'
import type { Exchange } from './exchange.ts'
import { type Reply, replyOf } from './reply.ts'

interface KeyedDeps {
  secrets: Secrets
  clock: () => Date
  limiter: DatabaseLimiter
  /** Public root URL with a slash at its end. */
  root: string
}

/** What identifies a creating request with an `Idempotency-Key`. */
interface Keyed {
  /** As received. */
  key: string
  body: unknown
}

/** Runs a handler once for a key. @throws Problem 400 it is no key; 409, 422 as `runOnce` */
export function runKeyed(
  { url, profile, from }: Exchange,
  request: ApiRequest,
  { key, body }: Keyed,
  { secrets, clock, limiter, root }: KeyedDeps,
): Promise<Reply> {
  const { route, context } = request
  const now = clock()
  const keys = { begin: context.begin, secrets }
  const creation = { key: checkKey(key), body, route, url, now, caller: request.callerKey }
  const target = { root, url }
  const reply = async (within?: Within) => replyOf(route, profile, await request.run(now, within), target)
  const act = async () => (route.runsGit ? runMarked(keys, creation, reply) : runOnce(keys, creation, reply))
  return limiter.run(act, from.network)
}
