import { forbidden } from '../http/route/problem.ts'
import { type Access, routeOf } from '../http/route/route.ts'

/** The rooms of the site share nothing beside the database. */
export type SiteTools = Readonly<Record<never, never>>

/** Who may publish and remove news and media. */
export type Publishers = Access<unknown, SiteTools>

/** There is no authentication: every operation is open to any caller (specification, section 5). */
export const anyone: Publishers = { name: 'anyone', refusals: [], admit: () => null }

/** Nobody publishes over HTTP. */
export const nobody: Publishers = {
  name: 'nobody',
  refusals: [403],
  admit: (_knock) => {
    throw forbidden('news and media cannot be changed on this server')
  },
}

export const route = routeOf<SiteTools>()
