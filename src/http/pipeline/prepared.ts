import type { CoalescedReads } from '../reads/reads.ts'
import type { ApiProfile, Mounted } from '../route/api.ts'
import type { ApiRequest } from '../route/api-request.ts'
import type { StaticContent } from '../route/results.ts'
import type { RouteFacts } from '../route/route.ts'
import type { Match } from '../route/router.ts'
import type { Origin, ServerAddress } from '../server/origin.ts'
import type { Replier } from './exchange.ts'
import { type Reply, replyOf } from './reply.ts'
import { staticReplier } from './static.ts'

/** An open read: the next request for its URL needs no route, authorization or validation. */
export interface PreparedRead {
  match: Match<Mounted>
  replier: Replier
}

interface ReplierDeps extends ServerAddress {
  reads: CoalescedReads<Reply, Origin>
  clock: () => Date
}

/**
 * Returns the function that answers a request whose answer others may get, too: with static content, or with the result of
 * the handler, within the limit on concurrent database work.
 */
export async function replierOf(
  { profile, route }: { profile: ApiProfile; route: RouteFacts },
  url: string,
  request: ApiRequest,
  deps: ReplierDeps,
): Promise<Replier> {
  const { reads, clock, root } = deps
  if (route.returns.kind === 'static')
    return staticReplier(route.returns.status, profile, (await request.run(clock())) as StaticContent)
  const work = async (from: Origin) =>
    replyOf(route, profile, await request.run(clock(), { from }), { root, url })
  const cacheable = route.shared === 'until written'
  // The `Link` of a page contains the whole query.
  const rest = request.key + (route.returns.page ? url : '')
  const { observedVersion } = request
  return ({ from }) => {
    const client = () => from.network
    const run = (_: unknown, callers: readonly (Origin | undefined)[]) =>
      work(from.sharedWith(callers.filter((caller) => caller !== undefined)))
    const caller = from
    return reads.get({ key: from.host + rest, run, cacheable }, { observedVersion, client, caller })
  }
}
