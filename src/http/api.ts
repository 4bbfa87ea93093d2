import type { State } from './kept.ts'
import type { Problem } from './problem.ts'
import type { Query } from './query.ts'
import type { Admitted, Base, Issues, Knock, Route, RouteFacts } from './route.ts'
import type { Place } from './router.ts'

/** How one API speaks: what differs between APIs, and not between the routes of one. */
export interface Voice {
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

/** One HTTP API as one value: how it speaks, what its rooms share, and its routes. */
export interface Api<Tools> {
  voice: Voice
  /** Put before the path of each route: the forge's specification prints its paths without `/api/v1`. */
  prefix: string
  tools: Tools
  routes: readonly Route<Tools>[]
}

/** A route at home in its API: it has been given what its rooms share, so `Tools` shows no more. */
export interface Mounted extends Place {
  voice: Voice
  route: RouteFacts
  admit: (head: Omit<Knock<unknown>, 'route' | 'tools'>) => Check | Promise<Check>
}

/** Checks query and body, and gives the run. @throws Problem 400, 404, 422 */
export type Check = (body: unknown, refuse: Voice['refuse']) => Run

/** A checked request. Equal requests have equal keys. */
export interface Run {
  key: () => string
  /** A state that the database was in since the request came. */
  seen: State | undefined
  run: (base: Omit<Base<unknown>, 'tools'>) => unknown
}

/** The routes of an API, ready for the router. */
export function mount<Tools>({ voice, prefix, tools, routes }: Api<Tools>): Mounted[] {
  return routes.map((route) => {
    const given =
      (check: Admitted<Tools>): Check =>
      (body, refuse) => {
        const { key, seen, run } = check(body, refuse)
        return { key, seen, run: ({ now, sql, begin, from }) => run({ now, sql, begin, from, tools }) }
      }
    return {
      voice,
      route,
      method: route.method,
      path: prefix + route.path,
      admit: (head) => {
        const check = route.admit(Object.assign(head, { route, tools }))
        return check instanceof Promise ? check.then(given) : given(check)
      },
    }
  })
}
