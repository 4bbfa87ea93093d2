import { messageOf } from '../../common/errors.ts'
import type { Log } from '../../log.ts'
import { StoreError } from '../store-error.ts'

/** A kind of request to a store. `get` ends with the head of the response. */
export type S3Operation = 'get' | 'head' | 'put' | 'delete' | 'list'

/** The result of a request: the expected answer, or a kind of failure. */
type Outcome = 'ok' | StoreError['kind'] | 'other'

/** Requests of one kind since the start of this process, including repetitions. For `src/metrics`. */
interface S3Counts {
  outcomes: Map<Outcome, number>
  seconds: number
}

const operations = ['get', 'head', 'put', 'delete', 'list'] as const

export const s3Counts = new Map<S3Operation, S3Counts>(
  operations.map((operation) => [operation, { outcomes: new Map([['ok', 0]]), seconds: 0 }]),
)

/** Minimum duration of a slow request, in milliseconds; an upload lasts until it is on the store's disks. */
const slowAfter = { upload: 10_000, other: 1_000 }

/** Where slow requests and failures are logged, and for which request they were made. */
export interface S3Watcher {
  /** Absent in commands: their error says what failed. */
  log?: Log | undefined
  /** `X-Request-Id` of the request that needs the content. */
  requestId?: string | undefined
}

/** Counts a request, and logs it if it is slow or fails. @throws what `work` throws */
export async function watched<Result>(
  operation: S3Operation,
  { log, requestId: id }: S3Watcher,
  work: () => Promise<Result>,
): Promise<Result> {
  const start = performance.now()
  try {
    const result = await work()
    const ms = count(operation, 'ok', start)
    const limit = operation === 'put' ? slowAfter.upload : slowAfter.other
    if (ms >= limit) log?.warn('slow request to the store', { id, operation, ms })
    return result
  } catch (error) {
    const outcome = error instanceof StoreError ? error.kind : 'other'
    const ms = count(operation, outcome, start)
    log?.warn('a request to the store failed', { id, operation, ms, outcome, error: messageOf(error) })
    throw error
  }
}

/** Counts a request; returns its duration in whole milliseconds. */
function count(operation: S3Operation, outcome: Outcome, start: number): number {
  const ms = performance.now() - start
  const counts = s3Counts.get(operation)
  if (counts) {
    counts.outcomes.set(outcome, (counts.outcomes.get(outcome) ?? 0) + 1)
    counts.seconds += ms / 1000
  }
  return Math.round(ms)
}
