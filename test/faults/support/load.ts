import { setTimeout as pause } from 'node:timers/promises'
import { newsText } from '../../bench/support/fill.ts'
import { openCaller, type Target } from './caller.ts'

/** Callers that publish, and as many that read. */
const writers = 10

/** Between the answer to a caller and its next request, in milliseconds: the load is to be small. */
const rest = 30

/** After a request that failed, as a client that tries again would. */
const restAfterFailure = 100

const reads = ['/api/news', '/api/stats/overview', '/api/media', '/api/health']

/** Callers that publish and read one request after another until they are stopped. */
export interface Load {
  /** Titles of the posts that were acknowledged. */
  acknowledged: ReadonlySet<string>
  /** Forgets outcomes and times so far, and counts from now on. */
  countFromNow: () => void
  /** Outcomes since then. */
  saw: ReadonlyMap<string, number>
  /** Milliseconds to answers of status 2xx since then. */
  times: readonly number[]
  /** Moments of acknowledgement since then, of `performance.now()`. */
  moments: readonly number[]
  /** Asks no more, and waits for the last answers. */
  stop: () => Promise<void>
}

export function startLoad(target: Target): Load {
  const acknowledged = new Set<string>()
  const saw = new Map<string, number>()
  const times: number[] = []
  const moments: number[] = []
  let running = true
  let asked = 0
  const work = async (isWriter: boolean) => {
    const caller = openCaller(target)
    while (running) {
      const number = ++asked
      const title = `post ${number}`
      const began = performance.now()
      const outcome = isWriter
        ? await caller.ask('POST', '/api/news', { title, content: newsText })
        : await caller.ask('GET', reads[number % reads.length] ?? '')
      const now = performance.now()
      saw.set(outcome, (saw.get(outcome) ?? 0) + 1)
      const isAnswered = outcome.startsWith('2')
      if (isAnswered) times.push(now - began)
      if (outcome === '201') {
        acknowledged.add(title)
        moments.push(now)
      }
      await pause(isAnswered ? rest : restAfterFailure)
    }
    caller.close()
  }
  const callers = Promise.all(Array.from({ length: writers * 2 }, (_, at) => work(at < writers)))
  return {
    acknowledged,
    saw,
    times,
    moments,
    countFromNow: () => {
      saw.clear()
      times.length = 0
      moments.length = 0
    },
    stop: async () => {
      running = false
      await callers
    },
  }
}
