import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiProfile, Mounted } from '../route/api.ts'
import type { Match } from '../route/router.ts'

/** One request on its way through the pipeline. */
export interface Exchange {
  req: IncomingMessage
  res: ServerResponse
  /** `X-Request-Id`, the caller's or ours. */
  id: string
  /** Milliseconds of a steady clock. */
  arrived: number
  url: string
  profile: ApiProfile
  match: Match<Mounted> | undefined
}
