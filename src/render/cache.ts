import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Owner } from '../threads/pool.ts'
import type { RenderOutcome, RenderRequest, SourceRequest } from './request.ts'

type AnyRequest = RenderRequest | SourceRequest

/** Renders without a cache. `gone` aborts when the caller no longer needs the outcome. */
type Run<Request> = (request: Request, owner?: Owner, gone?: AbortSignal) => Promise<RenderOutcome>

/** A run with one or more waiting callers. */
interface Shared {
  readonly outcome: Promise<RenderOutcome>
  /** Adds a waiting caller. */
  join(gone: AbortSignal | undefined): void
}

/** A cache of outcomes. */
interface RenderCache<Request> {
  /**
   * Returns the cached outcome of a text, joins a run of the same request, or starts one; owners take turns. Never
   * rejects. A run leaves the queue when all its callers have gone.
   */
  render: Run<Request>
  /** Approximate size of the cached outcomes in bytes. */
  size(): number
}

/** Bytes of an entry besides its text: key, map slot, objects. */
const overhead = 400

/**
 * Caches outcomes under a hash of everything they depend on, up to `maxBytes`; the least recently used are evicted
 * first. Outcomes that a retry might change (busy, timeout, memory, failed) are not cached.
 */
export function createCache<Request extends AnyRequest>(
  run: Run<Request>,
  maxBytes: number,
): RenderCache<Request> {
  const outcomes = new LRUCache<string, RenderOutcome>({
    maxSize: maxBytes,
    maxEntrySize: Math.floor(maxBytes / 4),
    // A string takes two bytes per UTF-16 unit as soon as one unit needs two.
    sizeCalculation: (outcome) =>
      overhead +
      2 *
        (outcome.ok
          ? outcome.value.html.length + outcome.value.mentions.join().length
          : outcome.fault.message.length),
  })
  const running = new Map<string, Shared>()

  function start(key: string, request: Request, owner?: Owner): Shared {
    const controller = new AbortController()
    const shared: Shared = {
      outcome: run(request, owner, controller.signal)
        .then((outcome) => {
          if (isCacheable(outcome)) outcomes.set(key, outcome)
          return outcome
        })
        .finally(end),
      join: countingWaiters(() => {
        end()
        controller.abort()
      }),
    }
    function end(): void {
      if (running.get(key) === shared) running.delete(key)
    }
    running.set(key, shared)
    return shared
  }

  return {
    size: () => outcomes.calculatedSize,
    render: (request, owner, gone) => {
      const key = keyOf(request)
      const cached = outcomes.get(key)
      if (cached !== undefined) return Promise.resolve(cached)
      const shared = running.get(key) ?? start(key, request, owner)
      shared.join(gone)
      return shared.outcome
    },
  }
}

/** Counts waiting callers; calls `allGone` when the last one has gone. */
function countingWaiters(allGone: () => void): Shared['join'] {
  let waiting = 0
  return (gone) => {
    waiting++
    const leave = () => {
      waiting--
      if (waiting === 0) allGone()
    }
    if (gone?.aborted) leave()
    else gone?.addEventListener('abort', leave, { once: true })
  }
}

const cacheableReasons = new Set(['mode', 'renderer', 'size', 'depth'])

function isCacheable(outcome: RenderOutcome): boolean {
  return outcome.ok || cacheableReasons.has(outcome.fault.reason)
}

/** A hash of every field: two requests with the same key have the same outcome. */
export function keyOf(request: AnyRequest): string {
  const { text, ...rest } =
    'knownAccounts' in request ? { ...request, knownAccounts: setOf(request.knownAccounts) } : request
  const fields = Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify(fields))
    .update('\0')
    .update(text, 'utf16le')
    .digest('base64')
}

const setOf = (names: readonly string[]) => [...new Set(names.map((name) => name.toLowerCase()))].sort()
