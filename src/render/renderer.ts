import { createCache } from './cache.ts'
import { createPool } from './pool.ts'

export { mentionedNames } from './markdown/mentions.ts'
export type { RenderFault, RenderOutcome, RenderReason, RenderRequest } from './request.ts'

/** Bytes of outcomes to cache. */
const cacheBytes = 32 * 1024 * 1024

export type Renderer = ReturnType<typeof createRenderer>

/** Renders text to HTML without blocking the main thread. */
export function createRenderer() {
  const pool = createPool()
  const cache = createCache(pool.run, cacheBytes)
  return { render: cache.render, close: pool.close }
}
