import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Origin } from '../server/origin.ts'

/** Returned by a handler whose reply differs from the declared one in status or headers. */
export class ReplyWith<Value> {
  constructor(
    readonly value: Value,
    readonly options: {
      /** One of the statuses that the route declares in `also`; 204 and 304 have no body. */
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
    },
  ) {}
}

/**
 * Reads and answers one request itself; the promise resolves when it is done. It runs outside the limiter of database
 * work and without the server's timers, so it must limit duration, silence and size itself. It may reject as long as it
 * has written nothing: then the API sends its usual error answer. Where a route is shared, several requests use it.
 */
export type Stream = (req: IncomingMessage, res: ServerResponse, from: Origin) => Promise<void>

/** A form with files that has arrived. `release` drops what nobody has kept of it; it never rejects. */
export interface ReceivedForm {
  body: unknown
  release: () => Promise<void>
}

/** Bytes that are the same for all clients, in two encodings. */
export interface StaticContent {
  /** Its `Content-Type`. */
  type: string
  /** Identifies the bytes: the opaque part of the entity tag. */
  version: string
  /** Headers instead of the API's own. */
  headers?: Readonly<Record<string, string>>
  plain: () => Promise<Buffer>
  brotli: () => Promise<Buffer>
}
