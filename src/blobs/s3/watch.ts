import { messageOf } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { StoreError } from '../store-error.ts'

/** What is asked of a store. `get` is over with the head of the response. */
export type S3Operation = 'get' | 'head' | 'put' | 'delete' | 'list'

/** What became of a request: it was answered as expected, or failed in one of these ways. */
type Outcome = 'ok' | StoreError['kind'] | 'other'

/** Requests to the store of one kind since the start of this process, repeated ones too. For `src/metrics`. */
interface S3Counts {
  outcomes: Map<Outcome, number>
  seconds: number
}

const operations = ['get', 'head', 'put', 'delete', 'list'] as const

export const s3Counts = new Map<S3Operation, S3Counts>(
  operations.map((operation) => [operation, { outcomes: new Map([['ok', 0]]), seconds: 0 }]),
)

/** From when on a request counts as slow, in milliseconds; an upload lasts until the store has it on its disks. */
const slowAfter = { upload: 10_000, other: 1_000 }

/** Who is told of slow requests and failures, and for whom requests are made. */
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

/** Gives the duration in whole milliseconds. */
function count(operation: S3Operation, outcome: Outcome, start: number): number {
  const ms = performance.now() - start
  const counts = s3Counts.get(operation)
  if (counts) {
    counts.outcomes.set(outcome, (counts.outcomes.get(outcome) ?? 0) + 1)
    counts.seconds += ms / 1000
  }
  return Math.round(ms)
}
