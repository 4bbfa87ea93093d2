import type { IncomingHttpHeaders } from 'node:http'
import * as v from 'valibot'
import type { Begin, Sql } from '../../db/sql.ts'
import type { Written } from '../pipeline/raw-json.ts'
import type { DatabaseVersion } from '../reads/validated-cache.ts'
import type { Origin } from '../server/origin.ts'
import type { Page } from './page.ts'
import { badRequest, notFound, type Problem } from './problem.ts'
import type { Query } from './query.ts'
import type { ReplyWith, Stream } from './results.ts'
import type { Method } from './router.ts'
import { checker, type Entries, type Issues, nothing, type Outputs, type Schema } from './validate.ts'

export type Literal = `${Method} /${string}`
type None = Record<never, never>

/** The names in braces of a path: `'/orgs/{org}/runs/{id}'` gives `'org' | 'id'`. */
type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never

/** What every handler may use, whatever was declared. */
export interface Base<Tools> {
  /** The moment of this run. */
  now: Date
  sql: Sql
  begin: Begin
  /** Where the request comes from. A shared run has that of one of those who share it. */
  from: Origin
  /** What this API's rooms share beside the database. */
  tools: Tools
}

/** The head of a request, before its body is read. */
export interface RequestHead extends Omit<Base<unknown>, 'tools'> {
  headers: IncomingHttpHeaders
  /** The request target as it came: path and query. */
  url: string
  /** Path parameters, decoded but not yet checked. */
  params: Readonly<Record<string, string>>
  query: Query
}

/** What permission may look at. */
export interface RequestContext<Tools> extends RequestHead {
  route: RouteFacts
  tools: Tools
}

/** Permission, and with it the type of `caller`. Every route declares one: nothing is open by oversight. */
export interface Access<Caller, Tools> {
  name: string
  /** Statuses it may refuse with, for the document. */
  refusals: readonly number[]
  /** @throws Problem 401, 403 or 404 */
  admit: (context: RequestContext<Tools>) => Caller | Promise<Caller>
  /** Names the caller where a shared answer depends on who asks; absent: it does not. */
  key?: (caller: Caller) => string
  /** The state of the database in which the caller was looked up, so that a shared answer need not ask for it again. */
  seen?: (caller: Caller) => DatabaseVersion | undefined
}

/** Success status and the shape of the reply; without a shape the reply has no body. */
export type Returns = readonly [status: number] | readonly [status: number, shape: Schema]

/**
 * One value; a page of a list; the page a search found, as `{"ok":true,"data":[…]}`; a page with its total, as
 * `{"jobs":[…],"total_count":…}`, the first name being that of the shape; a long list in batches, so that its rows are
 * never all in memory at once; or a stream: then the handler decides, behind the gate, and gives back what takes the
 * request's own streams, outside of it.
 */
export type Sending = 'value' | 'page' | 'found' | 'counted' | 'batches' | 'stream'

type RowOf<List> = List extends readonly (infer Row)[] ? Row : never
type Sent<Value, Send extends Sending> = Send extends 'page'
  ? Page<RowOf<Value>>
  : Send extends 'found'
    ? Page<RowOf<Value extends { data: infer List } ? List : never>>
    : Send extends 'counted'
      ? Page<RowOf<Value[Exclude<keyof Value, 'total_count'>]>>
      : Send extends 'batches'
        ? AsyncIterable<readonly RowOf<Value>[]>
        : Value
/** What a handler gives back; where the reply has no body nothing of it is sent. */
type Answer<R extends Returns, Send extends Sending> = Send extends 'stream'
  ? Stream
  : R extends readonly [number, infer Shape extends Schema]
    ?
        | Sent<v.InferInput<Shape>, Send>
        | ReplyWith<Sent<v.InferInput<Shape>, Send>>
        | Written<v.InferInput<Shape>>
    : unknown

/** Constraint name → status and sentence, for what only the database can refuse (`db/errors.ts`). */
export type Conflicts = Readonly<Record<string, readonly [status: number, sentence: string]>>

/** What is said of an operation, once (design, section 2). */
interface Declaration<Caller, Tools, P, Q, B, R, Send> {
  summary: string
  access: Access<Caller, Tools>
  /** A schema for each name in the path; a value that fails it names nothing, so the answer is 404. */
  params?: P
  query?: Q
  body?: B
  /** Media types of the body beside the API's own. */
  accepts?: readonly string[]
  /** The one sentence that a failed body answers with, as a 400; absent: the API's own words. */
  invalid?: string
  conflicts?: Conflicts
  /** Statuses that the handler itself refuses with, for the document. */
  fails?: readonly number[]
  returns: R
  /** Success statuses beside that of `returns`, which the handler chooses by a `ReplyWith` reply. */
  also?: readonly number[]
  /** Media type of a reply that is not JSON but text; its shape is a string. */
  media?: string
  sends?: Send
  /**
   * A read whose identical concurrent calls may share one run (`coalescer.ts`). `until written`: what it gives to anyone follows
   * from its parameters and rows alone, so it is given again until something is written (`kept.ts`).
   */
  shared?: boolean | 'until written'
  deprecated?: boolean
  /** A read of what never changes while the server runs: the bytes of each object it gives back are made once. */
  fixed?: boolean
  /** Bytes of the largest body, where it is not that of the configuration. */
  largestBody?: number
  /** A body that comes compressed is given to the handler as it came; elsewhere it is refused (415). */
  packed?: boolean
}

/** The part of a route that can be looked at: for the router, the document, the log, token scopes. */
export interface RouteFacts {
  literal: Literal
  method: Method
  path: string
  summary: string
  /** `open`: its `admit` takes no knock, so it lets everyone in and looks at nothing. */
  access: {
    name: string
    refusals: readonly number[]
    open: boolean
  }
  params: Entries
  query: Entries
  body: Schema | undefined
  accepts: readonly string[]
  conflicts: Conflicts
  /** Statuses beside the success: from the checks, the constraints and the handler; sorted. */
  fails: readonly number[]
  status: number
  also: readonly number[]
  shape: Schema | undefined
  media: string | undefined
  sends: Sending
  shared: boolean | 'until written'
  deprecated: boolean
  fixed: boolean
  largestBody: number | undefined
  packed: boolean
}

/** A declared operation. Its types are folded in, so that routes of one API stand in one list. */
export interface Route<Tools> extends RouteFacts {
  /** Gives the route what the modules of its API share. */
  bind: (tools: Tools) => Authorize
}

/** Lets a request in or refuses it; a promise only where that needs the database. @throws Problem 401, 403 or 404 */
export type Authorize = (head: RequestHead) => Validate | Promise<Validate>

/** Holds parameters, query and body against their schemas. @throws Problem 400, 404 or 422 */
export type Validate = (body: unknown, refuse: (issues: Issues) => Problem) => Prepared

/** A request that may run. */
export interface Prepared {
  /** Equal requests have equal keys. */
  key: () => string
  /** The state of the database in which the caller was looked up. */
  seen: DatabaseVersion | undefined
  /** Calls the handler at a moment: a shared run may start later than the request came. */
  run: (now: Date) => unknown
}

/** Stands where a route has no body: the pipeline reads none. */
const noBody = v.undefined()
type NoBody = typeof noBody

/**
 * Gives the `route()` of an API whose rooms share `Tools`.
 * `route(literal, declaration, handler)` throws at start when path and declared parameters disagree.
 */
export function routeOf<Tools>() {
  return function route<
    const L extends Literal,
    Caller,
    const R extends Returns,
    P extends Record<Names<L>, Schema> = Record<Names<L>, never>,
    Q extends Entries = None,
    B extends Schema = NoBody,
    Send extends Sending = 'value',
  >(
    literal: L,
    declared: Declaration<Caller, Tools, P, Q, B, R, Send>,
    handler: (
      ask: Base<Tools> & { caller: Caller; params: Outputs<P>; query: Outputs<Q>; body: v.InferOutput<B> },
    ) => Answer<R, Send> | Promise<Answer<R, Send>>,
  ): Route<Tools> {
    const facts = factsOf(literal, declared)
    const { access, invalid } = declared
    const checkParams = checker(declared.params ?? ({} as P))
    const checkQuery = checker(declared.query ?? ({} as Q))
    // B is NoBody exactly when no body was declared.
    const bodySchema = declared.body ?? (noBody as Schema as B)

    const asked = (given: unknown) => (given === nothing ? '' : JSON.stringify(given))

    const validate =
      (context: RequestContext<Tools>, caller: Caller): Validate =>
      (rawBody, refuse) => {
        const params = checkParams(context.params, () => notFound())
        const query = checkQuery(context.query, refuse)
        const body = v.safeParse(bodySchema, rawBody)
        if (!body.success) throw invalid === undefined ? refuse(body.issues) : badRequest(invalid)
        const { sql, begin, from, tools } = context
        return {
          key: () => `${literal} ${access.key?.(caller) ?? ''} ${asked(params)} ${asked(query)}`,
          seen: access.seen?.(caller),
          run: (now) => handler({ now, sql, begin, from, tools, caller, params, query, body: body.output }),
        }
      }
    const bind =
      (tools: Tools): Authorize =>
      (head) => {
        const context = { ...head, route: facts, tools }
        const caller = access.admit(context)
        return caller instanceof Promise
          ? caller.then((known) => validate(context, known))
          : validate(context, caller)
      }
    return { ...facts, bind }
  }
}

function factsOf<Caller, Tools, P extends Entries, Q extends Entries, B extends Schema, Send extends Sending>(
  literal: Literal,
  declared: Declaration<Caller, Tools, P, Q, B, Returns, Send>,
): RouteFacts {
  const [method, path] = literal.split(' ') as [Method, string]
  const params = declared.params ?? {}
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
  if (names.join() !== Object.keys(params).join()) {
    throw new Error(`Cannot declare ${literal}: its parameters are declared as [${Object.keys(params)}]`)
  }
  const [status, shape] = declared.returns
  return {
    literal,
    method,
    path,
    summary: declared.summary,
    access: {
      name: declared.access.name,
      refusals: declared.access.refusals,
      open: declared.access.admit.length === 0,
    },
    params,
    query: declared.query ?? {},
    body: declared.body,
    accepts: declared.accepts ?? [],
    conflicts: declared.conflicts ?? {},
    fails: failuresOf(declared),
    status,
    also: declared.also ?? [],
    shape,
    media: declared.media,
    sends: declared.sends ?? 'value',
    shared: declared.shared ?? false,
    deprecated: declared.deprecated ?? false,
    fixed: declared.fixed ?? false,
    largestBody: declared.largestBody,
    packed: declared.packed ?? false,
  }
}

function failuresOf<Caller, Tools, P, Q, B>(
  declared: Declaration<Caller, Tools, P, Q, B, Returns, Sending>,
): number[] {
  const statuses = new Set([...declared.access.refusals, ...(declared.fails ?? [])])
  if (declared.body) statuses.add(declared.invalid === undefined ? 422 : 400)
  for (const [status] of Object.values(declared.conflicts ?? {})) statuses.add(status)
  return [...statuses].sort((a, b) => a - b)
}
