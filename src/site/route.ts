import { type Access, routeOf } from '../http/route/route.ts'

/** The rooms of the site share nothing beside the database. */
export type SiteTools = Readonly<Record<never, never>>

/** There is no authentication: every operation is open to any caller (specification, section 5). */
export const anyone: Access<null, SiteTools> = { name: 'anyone', refusals: [], admit: () => null }

export const route = routeOf<SiteTools>()
