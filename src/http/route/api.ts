import type { Problem } from './problem.ts'
import type { Query } from './query.ts'
import type { Authorize, Route, RouteFacts } from './route.ts'
import type { RouteLocation } from './router.ts'
import type { Issues } from './validate.ts'

/** How one API speaks: what differs between APIs, and not between the routes of one. */
export interface ApiProfile {
  /** Every path below it is this API's, known or not: `/api` or `/api/v1`. */
  base: string
  /** `Content-Type` of JSON replies. */
  json: string
  /** Headers of every reply: name, value, name, value. */
  headers: readonly string[]
  /** Whether scripts of any origin may call it (Fetch standard, CORS). */
  anyOrigin: boolean
  /** Value of a request's body, or a promise of it. @throws Problem 400, 415, 422 */
  readBody: (bytes: Buffer, about: AboutBody) => unknown
  /** The refusal of a path with broken percent-encoding; absent: such a path names nothing, like any unknown one. */
  brokenPath?: () => Problem
  /** Body of an error reply. */
  problem: (problem: Problem) => unknown
  /** Words for a query or body that fails its schema. */
  refuse: (issues: Issues) => Problem
  unknownPath: () => Problem
  wrongMethod: () => Problem
}

/** What a body is read by. */
export interface AboutBody {
  contentType: string | undefined
  route: RouteFacts
  query: Query
}

/** One HTTP API as one value: how it speaks, what its modules share, and its routes. */
export interface Api<Tools> {
  profile: ApiProfile
  /** Put before the path of each route: the forge's specification prints its paths without `/api/v1`. */
  prefix: string
  tools: Tools
  routes: readonly Route<Tools>[]
}

/** A route bound to its API, ready for the router. */
export interface Mounted extends RouteLocation {
  profile: ApiProfile
  route: RouteFacts
  authorize: Authorize
}

/** The routes of an API, bound to what its modules share. */
export function mount<Tools>({ profile, prefix, tools, routes }: Api<Tools>): Mounted[] {
  return routes.map((route) => ({
    profile,
    route,
    method: route.method,
    path: prefix + route.path,
    authorize: route.bind(tools),
  }))
}
