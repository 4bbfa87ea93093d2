import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import * as v from 'valibot'
import type { Tx } from '../../db/sql.ts'
import type { DatabaseVersion } from '../reads/validated-cache.ts'
import { again, confirming } from './confirmation.ts'
import type { HandlerBase, HandlerContext, Literal, PathValues } from './handler-context.ts'
import { badRequest, notFound, type Problem } from './problem.ts'
import type { Query } from './query.ts'
import type { Handler, Returns, Sending } from './results.ts'
import type { Method } from './router.ts'
import { checker, type Entries, type Issues, noValues, type Schema } from './validate.ts'

export type { HandlerBase, HandlerContext, Literal }

type None = Record<never, never>

/** The head of a request, before its body is read. */
interface RequestHead extends Omit<HandlerBase<unknown>, 'tools'> {
  headers: IncomingHttpHeaders
  /** The request target as it came: path and query. */
  url: string
  /** Path parameters, decoded but not yet checked. */
  params: Readonly<Record<string, string>>
  query: Query
  clock: () => Date
  /**
   * When the request was authorized first, if this is not the first time: then it is not counted against a rate again,
   * and its one-time code may already be used.
   */
  authorizedAt?: Date | undefined
}

/** What an access check may use. */
export interface RequestContext<Tools> extends RequestHead {
  route: RouteFacts
  tools: Tools
}

/** The access check of a route; it also sets the type of `caller`. Every route must declare one. */
export interface Access<Caller, Tools> {
  name: string
  /** Statuses that it may answer with when it refuses, for the OpenAPI document. */
  refusals: readonly number[]
  /** Its 401 says in `WWW-Authenticate` how to authenticate (RFC 9110, section 11.6.1). */
  challenges?: boolean
  /** @throws Problem 401, 403 or 404 */
  admit: (context: RequestContext<Tools>) => Caller | Promise<Caller>
  /**
   * Whether a request shows nothing of who sends it: all such requests get one answer. Absent: none does, unless
   * `admit` takes no context.
   */
  isAnonymous?: (req: Pick<IncomingMessage, 'rawHeaders'>) => boolean
  /** Identifies the caller where a shared answer depends on the caller; absent: the answer is the same for everyone. */
  key?: (caller: Caller) => string
  /** Identifies the credential: whoever presents another one gets no stored answer. Absent: there are none. */
  credential?: (caller: Caller) => string
  /**
   * Called at the start of the first transaction of a request that changes something: locks the row that the change
   * depends on, and checks that everything the access check found is still so. Absent: nothing can change meanwhile.
   * @throws Outdated
   */
  confirm?: (caller: Caller, tx: Tx) => Promise<void>
  /** The database version at which the caller was looked up, so that a shared read need not query it again. */
  observedVersion?: (caller: Caller) => DatabaseVersion | undefined
}

/** Constraint name → status and sentence, for what only the database can check (`http/database-errors.ts`). */
export type Conflicts = Readonly<Record<string, readonly [status: number, sentence: string]>>

/** The part of a declaration that is read as it stands: by the pipeline, the documents and the log. */
interface Description {
  /** The original does not have this operation. */
  extension?: boolean
  summary: string
  /** Accepted media types of the body besides the API's own. */
  accepts?: readonly string[]
  conflicts?: Conflicts
  /** Statuses of errors that the handler itself throws, for the OpenAPI document. */
  fails?: readonly number[]
  /** Success statuses besides that of `returns`; the handler chooses one by returning a `ReplyWith`. */
  also?: readonly number[]
  /** Media type of a reply that is not JSON but text; its shape is a string. */
  media?: string
  sends?: Sending
  /**
   * Identical concurrent calls of this read may share one run (`coalescer.ts`). `until written`: the result depends
   * only on the parameters and the database, so it is cached until something is written (`validated-cache.ts`).
   */
  shared?: boolean | 'until written'
  deprecated?: boolean
  /** The result never changes while the server runs: each returned object is serialized once. */
  fixed?: boolean
  /** Limit of the body in bytes, if it differs from the configured one. */
  largestBody?: number
  /** The handler commits a reservation before it makes anything outside the database, and returns a `Completion`. */
  reserves?: boolean
  /** The handler gets a compressed body as it came; routes without this refuse compressed bodies (415). */
  packed?: boolean
}

/** The declaration of an operation (`docs/decisions/01-one-declaration-per-operation.md`). */
interface Declaration<Caller, Tools, P, Q, B, R, Send> extends Omit<Description, 'sends'> {
  access: Access<Caller, Tools>
  /** Schemas of names in the path that are not any text; a value that fails its schema is answered with 404. */
  params?: P
  query?: Q
  body?: B
  /** The message of the 400 that answers an invalid body; absent: the API's own error. */
  invalid?: string
  /** The parser of the API gives nothing that the schema of the body could refuse. */
  alwaysValid?: boolean
  returns: R
  sends?: Send
}

/** What a declaration without these members means. */
const defaults = {
  extension: false,
  accepts: [],
  conflicts: {},
  also: [],
  media: undefined,
  sends: 'value',
  shared: false,
  deprecated: false,
  fixed: false,
  largestBody: undefined,
  packed: false,
  reserves: false,
} as const

/** The part of a route that the router, the OpenAPI document, the log and token scopes read. */
export interface RouteFacts extends Required<Omit<Description, 'media' | 'largestBody'>> {
  literal: Literal
  method: Method
  path: string
  /** `open`: the `admit` function takes no context, so it lets every request in. */
  access: {
    name: string
    refusals: readonly number[]
    challenges: boolean
    open: boolean
    isAnonymous: (req: Pick<IncomingMessage, 'rawHeaders'>) => boolean
  }
  params: Entries
  query: Entries
  body: Schema | undefined
  status: number
  shape: Schema | undefined
  media: string | undefined
  largestBody: number | undefined
}

/** A declared operation. Its type parameters are hidden, so that all routes of one API fit in one list. */
export interface Route<Tools> extends RouteFacts {
  /** Passes the route what the modules of its API share. */
  bind: (tools: Tools) => Authorize
}

/** Authorizes a request; returns a promise only where it queries the database. @throws Problem 401, 403 or 404 */
export type Authorize = (head: RequestHead) => Validate | Promise<Validate>

/** Checks parameters, query and body against their schemas. @throws Problem 400, 404 or 422 */
export type Validate = (body: unknown, refuse: (issues: Issues) => Problem) => Validated

/** An authorized and validated request, ready to run. */
export interface Validated {
  /** Equal requests have equal keys. */
  key: () => string
  /** The database version at which the caller was looked up. */
  observedVersion: DatabaseVersion | undefined
  /**
   * Calls the handler with the time of the run: a shared run may start later than the request arrived. `other` takes the
   * place of what the request came with.
   */
  run: (now: Date, other?: Partial<Pick<HandlerBase<unknown>, 'sql' | 'begin' | 'from'>>) => unknown
  /** Equal callers with equal credentials have equal texts. */
  caller: () => string
}

/** The schema of a parameter in a path that declares none. */
const anyText = v.string()

/** The body schema of a route without a body: the pipeline reads none. */
const noBody = v.undefined()
type NoBody = typeof noBody

/**
 * Returns the `route()` function of an API whose modules share `Tools`. `route(literal, declaration, handler)` throws
 * at startup if the path lacks a parameter that is declared.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: most of it are types
export function routeOf<Tools>() {
  return function route<
    const L extends Literal,
    Caller,
    const R extends Returns,
    P extends Entries = None,
    Q extends Entries = None,
    B extends Schema = NoBody,
    Send extends Sending = 'value',
  >(
    literal: L,
    declared: Declaration<Caller, Tools, P, Q, B, R, Send> & {
      handler: Handler<HandlerContext<Tools, Caller, L, P, Q, B>, R, Send>
    },
  ): Route<Tools> {
    const facts = factsOf(literal, declared)
    const { access, invalid, handler } = declared
    const confirm = facts.method === 'GET' ? undefined : access.confirm
    const checkParams = checker(facts.params)
    const checkQuery = checker(declared.query ?? ({} as Q))
    // B is NoBody exactly when no body was declared.
    const bodySchema = declared.body ?? (noBody as Schema as B)

    const validate =
      (context: RequestContext<Tools>, caller: Caller): Validate =>
      (rawBody, refuse) => {
        // `facts` have a schema for each name.
        const params = checkParams(context.params, () => notFound()) as PathValues<L, P>
        const query = checkQuery(context.query, refuse)
        const checked = v.safeParse(bodySchema, rawBody)
        if (!checked.success) throw invalid === undefined ? refuse(checked.issues) : badRequest(invalid)
        const { tools } = context
        const body = checked.output
        const authorizeAgain = async () => access.admit(again(context))
        return {
          key: () => `${literal} ${access.key?.(caller) ?? ''} ${serialized(params)} ${serialized(query)}`,
          observedVersion: access.observedVersion?.(caller),
          run: (now, { sql = context.sql, from = context.from, begin: other = context.begin } = {}) => {
            const begin = confirm ? confirming((tx) => confirm(caller, tx), other) : other
            // Written out, because objects that are spread here make a POST of news cost a quarter more.
            return handler({ now, sql, begin, from, tools, caller, authorizeAgain, params, query, body })
          },
          caller: () => `${access.key?.(caller) ?? ''} ${access.credential?.(caller) ?? ''}`,
        }
      }
    const bind =
      (tools: Tools): Authorize =>
      (head) => {
        const context = { route: facts, tools, ...head }
        const caller = access.admit(context)
        return caller instanceof Promise
          ? caller.then((resolved) => validate(context, resolved))
          : validate(context, caller)
      }
    return { ...facts, bind }
  }
}

/** A part of the key of a shared read. */
const serialized = (given: unknown) => (given === noValues ? '' : JSON.stringify(given))

function factsOf<Caller, Tools, P extends Entries, Q extends Entries, B extends Schema, Send extends Sending>(
  literal: Literal,
  declared: Declaration<Caller, Tools, P, Q, B, Returns, Send>,
): RouteFacts {
  const [method, path] = literal.split(' ') as [Method, string]
  const names = [...path.matchAll(/\{(\w+)(?:\.\.\.)?\}/g)].map(([, name = '']) => name)
  const strange = Object.keys(declared.params ?? {}).filter((name) => !names.includes(name))
  if (strange.length > 0) throw new Error(`Cannot declare ${literal}: its path has no ${strange}`)
  const params = Object.fromEntries(names.map((name) => [name, declared.params?.[name] ?? anyText]))
  const [status, shape] = declared.returns
  const { name, refusals, challenges = false, admit } = declared.access
  const open = admit.length === 0
  const { isAnonymous = () => open } = declared.access
  return {
    ...defaults,
    ...declared,
    literal,
    method,
    path,
    access: { name, refusals, challenges, open, isAnonymous },
    params,
    query: declared.query ?? {},
    body: declared.body,
    fails: failuresOf(declared),
    status,
    shape,
  }
}

function failuresOf<Caller, Tools, P, Q, B>(
  declared: Declaration<Caller, Tools, P, Q, B, Returns, Sending>,
): number[] {
  const statuses = new Set([...declared.access.refusals, ...(declared.fails ?? [])])
  if (declared.body && !declared.alwaysValid) statuses.add(declared.invalid === undefined ? 422 : 400)
  for (const [status] of Object.values(declared.conflicts ?? {})) statuses.add(status)
  return [...statuses].sort((a, b) => a - b)
}
