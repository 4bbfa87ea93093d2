import type { IncomingMessage, ServerResponse } from 'node:http'
import type * as v from 'valibot'
import type { Page } from '../../db/page.ts'
import type { Begin, Sql } from '../../db/sql.ts'
import type { Schema } from './validate.ts'

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
 * Returned by the handler of a route with `reserves`, which has committed a reservation: the rest of its work. It runs in
 * the transaction that stores the answer, if the request has an `Idempotency-Key`.
 */
export class Completion<Value> {
  constructor(
    readonly complete: (within?: { sql: Sql; begin: Begin }) => Promise<Value>,
    /** Called if the request fails: releases what is reserved, as far as nothing rests on it. */
    readonly abandon: () => Promise<void>,
  ) {}

  /** The same, with a result that is made of this one's. */
  map<Mapped>(change: (value: Value) => Mapped): Completion<Mapped> {
    return new Completion(async (within) => change(await this.complete(within)), this.abandon)
  }

  /** Fulfills `work` or abandons what is reserved. */
  async orAbandon<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work
    } catch (error) {
      await this.abandon()
      throw error
    }
  }
}

/**
 * Reads and answers one request itself; the promise resolves when it is done. It runs outside the limiter of database
 * work and without the server's timers, so it must limit duration, silence and size itself. It may reject as long as it
 * has written nothing: then the API sends its usual error answer.
 */
export type Stream = (req: IncomingMessage, res: ServerResponse) => Promise<void>

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

/** Success status and the shape of the reply; without a shape the reply has no body. */
export type Returns = readonly [status: number] | readonly [status: number, shape: Schema]

/**
 * How the result is sent: one value, or a stream where `Stream` is returned instead; a page of a list, also with its
 * numbers in headers; a page of search results, as `{"ok":true,"data":[…]}`; a page
 * with its total, as `{"jobs":[…],"total_count":…}`, where the shape sets the first name; a page without `Link`, alone
 * or as `{"topics":[…]}`, where the shape sets the name; a long list in batches, so that its rows are never all in
 * memory at once; static content, whose handler uses no database and runs outside the
 * limiter; or a stream. The handler of a stream runs inside the limiter and returns the function that uses the request
 * and response streams, which runs outside of it.
 */
export type Sending =
  | 'value'
  | 'page'
  | 'numbered'
  | 'found'
  | 'counted'
  | 'unlinked'
  | 'batches'
  | 'static'
  | 'stream'
  | 'value or stream'

type RowOf<List> = List extends readonly (infer Row)[] ? Row : never
type Sent<Value, Send extends Sending> = Send extends 'page' | 'numbered'
  ? Page<RowOf<Value>>
  : Send extends 'found'
    ? Page<RowOf<Value extends { data: infer List } ? List : never>>
    : Send extends 'counted'
      ? Page<RowOf<Value[Exclude<keyof Value, 'total_count'>]>>
      : Send extends 'unlinked'
        ? Page<RowOf<Value extends readonly unknown[] ? Value : Value[keyof Value]>>
        : Send extends 'batches'
          ? AsyncIterable<readonly RowOf<Value>[]>
          : Value
/** What a handler returns; if the reply has no body, the value is ignored. */
type HandlerResult<R extends Returns, Send extends Sending> = Send extends 'stream'
  ? Stream
  : Send extends 'static'
    ? StaticContent
    : R extends readonly [number, infer Shape extends Schema]
      ?
          | Sent<v.InferInput<Shape>, Send>
          | ReplyWith<Sent<v.InferInput<Shape>, Send>>
          | Completion<Sent<v.InferInput<Shape>, Send>>
          | (Send extends 'value or stream' ? Stream : never)
      : unknown

/** Runs an operation. */
export type Handler<Context, R extends Returns, Send extends Sending> = (
  context: Context,
) => HandlerResult<R, Send> | Promise<HandlerResult<R, Send>>
