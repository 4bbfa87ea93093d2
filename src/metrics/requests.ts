import type { CountRequest } from '../http/pipeline/send.ts'

/** Upper bounds of the buckets of a duration, in seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** The counts of requests with the same route and method. */
interface RequestCounts {
  route: string
  method: string
  /** Number of requests by the first digit of their status, which is the index; 0 and 1 are unused. */
  statuses: number[]
  /** Number of requests up to each bound; the last one counts all longer requests. */
  buckets: number[]
  seconds: number
}

/** Methods with their own label; clients may send any text. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Counts requests in plain numbers, which are only read for a reply of `/metrics`. */
export class RequestCounters {
  readonly #byRoute = new Map<string | null, Map<string, RequestCounts>>()

  readonly add: CountRequest = ({ route, method, status, ms }) => {
    const counts = this.#countsOf(route, knownMethods.has(method) ? method : 'other')
    increment(counts.statuses, Math.floor(status / 100))
    const seconds = ms / 1000
    const at = bounds.findIndex((bound) => seconds <= bound)
    increment(counts.buckets, at === -1 ? bounds.length : at)
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
      const statuses = new Array<number>(6).fill(0)
      counts = { route: route ?? 'unknown', method, statuses, buckets, seconds: 0 }
      methods.set(method, counts)
    }
    return counts
  }
}

const durationName = 'forgehall_request_duration_seconds'

/** A histogram in the form of the library, whose own one took more time for each request than these plain numbers. */
export function durationMetric(counters: RequestCounters) {
  const values = [...counters.all()].flatMap(durationValues)
  return { name: durationName, help: 'Duration of requests', type: 'histogram', aggregator: 'sum', values }
}

function durationValues({ route, method, buckets, seconds }: RequestCounts) {
  const labels = { route, method }
  let sum = 0
  const values = buckets.map((count, at) => {
    sum += count
    return {
      metricName: `${durationName}_bucket`,
      labels: { ...labels, le: bounds[at] ?? '+Inf' },
      value: sum,
    }
  })
  return [
    ...values,
    { metricName: `${durationName}_sum`, labels, value: seconds },
    { metricName: `${durationName}_count`, labels, value: sum },
  ]
}

function increment(counts: number[], at: number): void {
  counts[at] = (counts[at] ?? 0) + 1
}
