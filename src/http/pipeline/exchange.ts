import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiProfile, Mounted } from '../route/api.ts'
import type { Match } from '../route/router.ts'
import type { Origin } from '../server/origin.ts'
import type { Reply } from './reply.ts'

/** One request in the pipeline, and its response. */
export interface Exchange {
  req: IncomingMessage
  res: ServerResponse
  from: Origin
  /** `X-Request-Id`, from the caller or generated here. */
  id: string
  /** Arrival time in milliseconds of a monotonic clock. */
  arrived: number
  url: string
  profile: ApiProfile
  match: Match<Mounted> | undefined
}

/** Answers a request that is found, authorized and validated. Returns a promise only if it has to wait. @throws Problem */
export type Replier = (exchange: Exchange) => Reply | Promise<Reply>
