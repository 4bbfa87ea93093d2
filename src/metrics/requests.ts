import type { CountRequest } from '../http/pipeline/send.ts'

/** Upper bounds of the buckets of a duration, in seconds. */
export const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** The counts of requests with the same route and method. */
export interface RequestCounts {
  route: string
  method: string
  /** Number of requests by the first digit of their status. */
  statuses: Map<string, number>
  /** Number of requests up to each bound; the last one is of all that took longer. */
  buckets: number[]
  seconds: number
}

/** Methods that have a label of their own; clients may send any word. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Counts requests in plain numbers, which are only read for a reply of `/metrics`. */
export class RequestCounters {
  readonly #byRoute = new Map<string | null, Map<string, RequestCounts>>()

  readonly add: CountRequest = ({ route, method, status, ms }) => {
    const counts = this.#countsOf(route, knownMethods.has(method) ? method : 'other')
    const group = `${Math.floor(status / 100)}xx`
    counts.statuses.set(group, (counts.statuses.get(group) ?? 0) + 1)
    const seconds = ms / 1000
    const at = bounds.findIndex((bound) => seconds <= bound)
    const bucket = at === -1 ? bounds.length : at
    counts.buckets[bucket] = (counts.buckets[bucket] ?? 0) + 1
    counts.seconds += seconds
  };

  *all(): Generator<RequestCounts> {
    for (const methods of this.#byRoute.values()) yield* methods.values()
  }

  #countsOf(route: string | null, method: string): RequestCounts {
    let methods = this.#byRoute.get(route)
    if (!methods) {
      methods = new Map()
      this.#byRoute.set(route, methods)
    }
    let counts = methods.get(method)
    if (!counts) {
      const buckets = new Array<number>(bounds.length + 1).fill(0)
      counts = { route: route ?? 'unknown', method, statuses: new Map(), buckets, seconds: 0 }
      methods.set(method, counts)
    }
    return counts
  }
}
