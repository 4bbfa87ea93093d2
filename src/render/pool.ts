import source from 'worker:./worker.ts'
import * as threads from '../threads/pool.ts'
import type { UnansweredOutcomes } from '../threads/thread.ts'
import { type RenderOutcome, type RenderRequest, renderFailed, type SourceRequest } from './request.ts'

/** Worker threads that render, so that no text blocks other requests. */
type Pool = threads.Pool<RenderRequest | SourceRequest, RenderOutcome>

const unanswered: UnansweredOutcomes<RenderOutcome> = {
  busy: renderFailed('busy', 'too many texts are waiting to be rendered, try again soon'),
  gone: renderFailed('busy', 'the text was not rendered', 'nobody waits for it any more'),
  timeout: renderFailed('timeout', 'the text takes too long to render'),
  slow: renderFailed('busy', 'the server is too busy to render this text now, try again later'),
  memory: renderFailed('memory', 'the text takes too much memory to render'),
  failed: (log) => renderFailed('failed', 'the text could not be rendered', log),
}

/** A pool of renderers. The default limit of ten seconds is enough for two megabytes on a slow machine. */
export function createPool(limits: Partial<threads.PoolLimits> = {}): Pool {
  return threads.createPool({ kind: 'render', source, weigh: ({ text }) => text.length, unanswered }, limits)
}
