import type { IncomingHttpHeaders } from 'node:http'
import { type ApiRequest, receiverOf } from './api-request.ts'
import type { Problem } from './problem.ts'
import type { Query } from './query.ts'
import type { RequestHead, Route, RouteFacts } from './route.ts'
import type { RouteLocation } from './router.ts'
import type { Issues } from './validate.ts'

/** What differs between APIs but not between the routes of one: headers, body parser and error format. */
export interface ApiProfile {
  /** Base path of this API, for known and unknown paths below it: `/api` or `/api/v1`. */
  base: string
  /** `Content-Type` of JSON replies. */
  json: string
  /** Headers of every reply: name, value, name, value. */
  headers: readonly string[]
  /** Whether a request with these headers may have credentials, so that no cache may store its answer. */
  isPersonal?: (headers: IncomingHttpHeaders) => boolean
  /** Whether scripts of any origin may call it (Fetch standard, CORS). */
  anyOrigin: boolean
  /** Parses a request body; may return a promise. @throws Problem 400, 415, 422 */
  readBody: (bytes: Buffer, facts: BodyFacts) => unknown
  /** The error for a path with broken percent-encoding; if absent, such a path is answered like any unknown path. */
  brokenPath?: () => Problem
  /** Body of an error reply. */
  problem: (problem: Problem) => unknown
  /** An error as an HTML page, for clients that prefer HTML. Absent: errors have one form. */
  errorPage?: (problem: Problem, request: PageRequest) => string
  /** Completes a reply that is a text, such as a page. */
  finish?: (text: string) => string
  /** The error for a body that fails its schema. */
  refuse: (issues: Issues) => Problem
  /** The error for a query that fails its schemas; absent: as for a body. */
  refuseQuery?: (issues: Issues) => Problem
  unknownPath: () => Problem
  wrongMethod: () => Problem
}

/** What an error page needs of the request. */
export interface PageRequest {
  /** Root of links. */
  host: string
  headers: IncomingHttpHeaders
}

/** What the body parser gets besides the bytes. */
export interface BodyFacts {
  contentType: string | undefined
  route: RouteFacts
  query: Query
}

/** One HTTP API as one value: its profile, what its modules share, and its routes. */
export interface Api<Tools> {
  profile: ApiProfile
  /** Prepended to the path of each route: the forge's specification prints its paths without `/api/v1`. */
  prefix: string
  tools: Tools
  routes: Routes<Tools>
}

/**
 * Operations by their `operationId`, which is the name of the constant that declares them: the original's, where the
 * original has the operation.
 */
export type Routes<Tools> = Readonly<Record<string, Route<Tools>>>

/** The operations that these modules export. Throws if two have one name. */
export function routesOf<Tools>(...modules: readonly Routes<Tools>[]): Routes<Tools> {
  const all = modules.flatMap((module) => Object.entries(module))
  const names = new Set(all.map(([name]) => name))
  if (names.size < all.length) throw new Error('Two operations of one API have one name')
  return Object.fromEntries(all)
}

/** A route bound to its API, ready for the router. */
export interface Mounted extends RouteLocation {
  profile: ApiProfile
  operationId: string
  route: RouteFacts
  /** A request to it, when its head has arrived. */
  receive: (head: RequestHead) => ApiRequest
}

/** The routes of an API, bound to what its modules share. */
export function mount<Tools>({ profile, prefix, tools, routes }: Api<Tools>): Mounted[] {
  return Object.entries(routes).map(([operationId, route]) => ({
    profile,
    operationId,
    route,
    method: route.method,
    path: prefix + route.path,
    receive: receiverOf(route, tools),
  }))
}
