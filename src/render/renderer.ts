import type { Owner } from '../threads/turns.ts'
import { createCache } from './cache.ts'
import { createPool, type PoolOptions } from './pool.ts'
import type { RenderOutcome, RenderRequest } from './request.ts'

export { mentionedNames } from './markdown/mentions.ts'
export type { RenderOutcome, RenderProblem, RenderReason, RenderRequest } from './request.ts'

/** Limits of the renderer. */
export interface RendererOptions extends PoolOptions {
  /** Bytes of results to remember. */
  readonly cacheBytes: number
}

/** Text in, HTML out, without ever holding up the main thread. */
export interface Renderer {
  /**
   * Renders, or recalls, one text; owners take turns. Never rejects; identical requests at the same time share one run,
   * which leaves the queue when all who wait for it have gone.
   */
  render(request: RenderRequest, owner?: Owner, gone?: AbortSignal): Promise<RenderOutcome>
  /** Ends the threads. */
  close(): Promise<void>
}

export function createRenderer(limits: Partial<RendererOptions> = {}): Renderer {
  const pool = createPool(limits)
  const cache = createCache(pool.run, limits.cacheBytes ?? 32 * 1024 * 1024)
  return { render: cache.render, close: pool.close }
}
