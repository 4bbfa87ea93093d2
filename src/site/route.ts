import { forbidden } from '../http/route/problem.ts'
import { type Access, routeOf } from '../http/route/route.ts'
import type { RecordChange } from './change.ts'
import type { PictureStorage } from './picture-storage.ts'
import type { SiteFeed } from './stream/feed.ts'

/** The tools of the operations of the site, apart from the database. */
export interface SiteTools {
  feed: Pick<SiteFeed, 'serve'>
  pictures: PictureStorage
}

/** The access check for publishing and removing news and media; the admitted caller is the function that records it. */
export type Publishers = Access<RecordChange | undefined, unknown>

/** There is no authentication: every operation is open to any caller (specification, section 5). */
export const anyone: Publishers = { name: 'anyone', refusals: [], admit: () => undefined }

/** No one may publish over HTTP. */
export const nobody: Publishers = {
  name: 'nobody',
  refusals: [403],
  admit: () => {
    throw forbidden('news and media cannot be changed on this server')
  },
}

export const route = routeOf<SiteTools>()
