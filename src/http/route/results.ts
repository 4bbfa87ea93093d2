import type { IncomingMessage, ServerResponse } from 'node:http'

/** What a handler gives back when one of its replies differs from the declared one in status or headers. */
export class ReplyWith<Value> {
  constructor(
    readonly value: Value,
    readonly options: {
      /** One of those that the route declares in `also`; 204 and 304 have no body. */
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
    },
  ) {}
}

/**
 * Reads and answers one request by itself, and is done when it resolves. It holds no place before the database, and no
 * clock of the server runs: bounds of time, silence and size are its own affair.
 * It may reject as long as it has not written: then the API refuses as usual.
 */
export type Stream = (req: IncomingMessage, res: ServerResponse) => Promise<void>
