import type { FailureCounts } from '../forge/auth/failure-counts.ts'
import type { ForgeTools } from '../forge/route.ts'
import { type Access, routeOf } from '../http/route/route.ts'
import type { PictureStorage } from '../site/picture-storage.ts'
import type { SessionReads } from './session-reads.ts'

/** What the handlers of pages share. */
export interface PageTools extends ForgeTools {
  /** Whether news and media may be changed over HTTP at all (`SITE_WRITES`). */
  publishing: boolean
  /** Whether anonymous visitors see nothing of the forge (`REQUIRE_SIGNIN`). */
  requireSignIn: boolean
  sessions: SessionReads
  pictures: PictureStorage
  /** Requests for a forgotten password, by the network of the client and the address. */
  forgotten: FailureCounts
}

export const route = routeOf<PageTools>()

/** Pages of the site are for everyone, and the same for everyone: who is signed in does not show there. */
export const publicPage: Access<null, unknown> = {
  name: 'everybody',
  refusals: [],
  admit: () => null,
}
