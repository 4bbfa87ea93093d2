import type { IncomingMessage } from 'node:http'
import type { DatabaseLimiter } from '../reads/database-limiter.ts'
import type { CoalescedReads } from '../reads/reads.ts'
import type { ApiProfile, Mounted } from '../route/api.ts'
import type { ApiRequest } from '../route/api-request.ts'
import { Completion, type StaticContent } from '../route/results.ts'
import type { RouteFacts } from '../route/route.ts'
import type { Match } from '../route/router.ts'
import type { Origin, ServerAddress } from '../server/origin.ts'
import type { Replier } from './exchange.ts'
import { networkOf } from './network.ts'
import { type Reply, replyOf } from './reply.ts'
import { staticReplier } from './static.ts'

/** An open read: the next request for its URL needs no route, authorization or validation. */
export interface PreparedRead {
  match: Match<Mounted>
  replier: Replier
}

/** Whether all requests like this one for a URL may get the same answer: only its host and encodings matter. */
export const isOpenRead = (
  { shared, returns, access }: RouteFacts,
  req: Pick<IncomingMessage, 'rawHeaders'>,
): boolean => (shared !== false || returns.kind === 'static') && access.isAnonymous(req)

interface ReplierDeps extends ServerAddress {
  reads: CoalescedReads<Reply, Origin>
  limiter: DatabaseLimiter
  clock: () => Date
}

/**
 * Returns the function that answers a request: with static content, or with the result of the handler, for one request or
 * shared with equal ones, within the limit on concurrent database work.
 */
export async function replierOf(
  { profile, route }: { profile: ApiProfile; route: RouteFacts },
  url: string,
  request: ApiRequest,
  deps: ReplierDeps,
): Promise<Replier> {
  const { reads, limiter, clock, root } = deps
  if (route.returns.kind === 'static')
    return staticReplier(route.returns.status, profile, (await request.run(clock())) as StaticContent)
  const work = async (from?: Origin) =>
    replyOf(route, profile, await completed(await request.run(clock(), from && { from })), { root, url })
  if (!route.shared) return ({ from }) => limiter.run(() => work(), networkOf(from.address))
  const cacheable = route.shared === 'until written'
  // The `Link` of a page contains the whole query.
  const rest = request.key + (route.returns.page ? url : '')
  const { observedVersion } = request
  return ({ from }) => {
    const client = () => networkOf(from.address)
    const run = (_: unknown, callers: readonly (Origin | undefined)[]) =>
      work(from.sharedWith(callers.filter((caller) => caller !== undefined)))
    const caller = from
    return reads.get({ key: from.host + rest, run, cacheable }, { observedVersion, client, caller })
  }
}

const completed = (result: unknown) =>
  result instanceof Completion ? result.orAbandon(result.complete()) : result
