import type { Owner } from '../threads/pool.ts'
import { createCache } from './cache.ts'
import { createPool } from './pool.ts'
import type { RenderOutcome, RenderRequest } from './request.ts'

export { mentionedNames } from './markdown/mentions.ts'
export type { RenderOutcome, RenderProblem, RenderReason, RenderRequest } from './request.ts'

/** Bytes of outcomes to cache. */
const cacheBytes = 32 * 1024 * 1024

/** Renders text to HTML without blocking the main thread. */
export interface Renderer {
  /**
   * Renders one text or returns its cached outcome; owners take turns. Never rejects. Identical requests at the same
   * time share one run, which leaves the queue when all its callers have gone.
   */
  render(request: RenderRequest, owner?: Owner, gone?: AbortSignal): Promise<RenderOutcome>
  /** Ends the threads. */
  close(): Promise<void>
}

export function createRenderer(): Renderer {
  const pool = createPool()
  const cache = createCache(pool.run, cacheBytes)
  return { render: cache.render, close: pool.close }
}
