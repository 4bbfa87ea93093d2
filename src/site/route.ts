import { forbidden } from '../http/route/problem.ts'
import { type Access, routeOf } from '../http/route/route.ts'

/** The modules of the site share nothing but the database. */
export type SiteTools = Readonly<Record<never, never>>

/** The access check for publishing and removing news and media. */
export type Publishers = Access<unknown, SiteTools>

/** There is no authentication: every operation is open to any caller (specification, section 5). */
export const anyone: Publishers = { name: 'anyone', refusals: [], admit: () => null }

/** Nobody may publish over HTTP. */
export const nobody: Publishers = {
  name: 'nobody',
  refusals: [403],
  admit: (_context) => {
    throw forbidden('news and media cannot be changed on this server')
  },
}

export const route = routeOf<SiteTools>()
