import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import * as v from 'valibot'
import type { Tx } from '../../db/sql.ts'
import type { DatabaseVersion } from '../../db/version.ts'
import type { HandlerBase, HandlerContext, Input, Literal } from './handler-context.ts'
import type { Problem } from './problem.ts'
import type { Query } from './query.ts'
import type { ReceivedForm } from './results.ts'
import type { Method } from './router.ts'
import type { Sending, Sends } from './sends.ts'
import { bodyChecker, checker, type Entries, type Issues, type Schema } from './validate.ts'

export type { HandlerBase, HandlerContext, Literal }

/** The head of a request, before its body is read. */
export interface RequestHead extends Omit<HandlerBase<unknown>, 'tools'> {
  headers: IncomingHttpHeaders
  /** The request target as received: path and query. */
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
  /** Whether a request has no credentials, so that it gets the same answer as all others. Absent: if `admit` takes no context. */
  isAnonymous?: (req: Pick<IncomingMessage, 'rawHeaders'>) => boolean
  /** Identifies the caller where a shared answer depends on the caller; absent: the answer is the same for everyone. */
  key?: (caller: Caller) => string
  /** Identifies the credential: a request with another one gets no stored answer. Absent: there are none. */
  credential?: (caller: Caller) => string
  /**
   * Called at the start of the first transaction of a request that changes something: locks the row that the change
   * depends on, and checks that what the access check has read is unchanged. Absent: nothing can change meanwhile.
   * @throws Outdated
   */
  confirm?: (caller: Caller, tx: Tx) => Promise<void>
  /** The database version at which the caller was looked up, so that a shared read need not query it again. */
  observedVersion?: (caller: Caller) => DatabaseVersion | undefined
}

/** Constraint name → status and sentence, for what only the database can check (`http/database-errors.ts`). */
export type Conflicts = Readonly<Record<string, readonly [status: number, sentence: string]>>

/** The part of a declaration that the pipeline, the documents and the log read as it is declared. */
interface Description {
  /** Gitea does not have this operation. */
  extension?: boolean
  summary: string
  /** Accepted media types of the body besides the API's own. */
  accepts?: readonly string[]
  conflicts?: Conflicts
  /** Statuses of errors that the handler itself throws, for the OpenAPI document. */
  fails?: readonly number[]
  /** Success statuses besides that of `returns`; the handler chooses one by returning a `ReplyWith`. */
  also?: readonly number[]
  /**
   * Identical concurrent calls of this read may share one run (`coalescer.ts`). `until written`: the result depends
   * only on the request, rows and commits, so it is cached until something is written (`validated-cache.ts`). The rule
   * is in `docs/CONTRIBUTING.md`.
   */
  shared?: boolean | 'until written'
  deprecated?: boolean
  /** The result never changes while the server runs: each returned object is serialized once. */
  fixed?: boolean
  /** Limit of the body in bytes, if it differs from the configured one. */
  largestBody?: number
  /**
   * The handler runs git, so it must not run in a transaction of somebody else (`keyed.ts`), and `docs/SECURITY.md` says
   * what bounds it. What only reads does not declare it, except for git over HTTP.
   */
  runsGit?: boolean
  /** The handler gets a compressed body as received; routes without this refuse compressed bodies (415). */
  packed?: boolean
}

/** The declaration of an operation (`docs/decisions/01-one-declaration-per-operation.md`), without its `Input`. */
interface Declaration<Caller, Tools, Result> extends Description {
  access: Access<Caller, Tools>
  /** The message of the 400 for an invalid body; absent: the error that the API has for it. */
  invalid?: string
  /** The schema of the body accepts everything that the parser of the API returns. */
  alwaysValid?: boolean
  /**
   * Reads a form with files (`multipart/form-data`), which the parser of the API refuses; the handler gets its `body`.
   * It runs outside the limiter of database work, so it must limit size and silence itself. @throws Problem
   */
  receiveForm?: ReceiveForm<Caller, Tools>
  /** How its success is sent (`sends.ts`). */
  returns: Sends<Result>
}

type ReceiveForm<Caller, Tools> = (
  request: { caller: Caller; tools: Tools },
  exchange: { req: IncomingMessage; res: ServerResponse },
) => Promise<ReceivedForm>

/** The members that a declaration may omit. */
const defaults = {
  extension: false,
  accepts: [],
  conflicts: {},
  also: [],
  shared: false,
  deprecated: false,
  fixed: false,
  largestBody: undefined,
  packed: false,
  runsGit: false,
} as const

/** The part of a route that the router, the OpenAPI document, the log and token scopes read. */
export interface RouteFacts extends Required<Omit<Description, 'largestBody'>> {
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
  returns: Sending
  largestBody: number | undefined
  /** Whether it reads forms with files. */
  receivesForms: boolean
  /** Whether it creates something, and so takes an `Idempotency-Key`. */
  creates: boolean
  /** Whether one answer may go to several requests. */
  isShareable: boolean
}

/**
 * A declared operation. The types of its caller and its values are hidden, so that all routes of one API fit in one
 * list.
 */
export interface Route<Tools> extends RouteFacts {
  steps: Steps<Tools>
}

/**
 * The steps of a request (`api-request.ts`). They are methods with parameters of type `unknown`, which TypeScript compares
 * less strictly: a request passes to each step only results of other steps of the same route.
 */
interface Steps<Tools> {
  access: {
    admit(context: RequestContext<Tools>): unknown
    key?(caller: unknown): string
    credential?(caller: unknown): string
    confirm?(caller: unknown, tx: Tx): Promise<void>
    observedVersion?(caller: unknown): DatabaseVersion | undefined
  }
  receiveForm?(
    request: { caller: unknown; tools: Tools },
    exchange: { req: IncomingMessage; res: ServerResponse },
  ): Promise<ReceivedForm>
  checks: { params: Check<Readonly<Record<string, string>>>; query: Check<Query>; body: Check<unknown> }
  handler(context: HandlerBase<Tools> & Values): unknown
  /** Gives an error of an authorized request as its caller gets it. */
  explain?(error: unknown, caller: unknown, context: RequestContext<Tools>): Promise<unknown>
}

/** Returns the checked value. @throws Problem */
type Check<Raw> = (raw: Raw, refuse: (issues: Issues) => Problem) => unknown

/** The results of the steps of a request. */
interface Values {
  caller: unknown
  authorizeAgain: () => Promise<unknown>
  params: unknown
  query: unknown
  body: unknown
}

/** The schema of a parameter in a path that declares none. */
const anyText = v.string()

/**
 * Returns the `route()` function of an API whose modules share `Tools`; `refusesQueryWith`: the status for a query that
 * fails its schemas, where declarations do not say it themselves. `route(literal, declaration)` throws at startup
 * if the path lacks a declared parameter. `In` are the schemas in the declaration, `Result` is the type that `returns`
 * requires of the handler.
 */
export function routeOf<Tools>({ refusesQueryWith }: { refusesQueryWith?: number } = {}) {
  return function route<const L extends Literal, Caller, In extends Input, Result>(
    literal: L,
    declared: Declaration<Caller, Tools, Result> & { [Name in keyof In & keyof Input]: In[Name] } & {
      handler: (context: HandlerContext<Tools, Caller, L, In>) => NoInfer<Result> | Promise<NoInfer<Result>>
    },
  ): Route<Tools> {
    const refusal = canFail(declared.query) ? refusesQueryWith : undefined
    const facts = factsOf(literal, declared, declared, refusal)
    const { access, invalid, handler, receiveForm } = declared
    const checks = {
      params: checker(facts.params),
      query: checker(facts.query),
      body: bodyChecker(facts.body, invalid),
    }
    return { ...facts, steps: { access, checks, handler, ...(receiveForm && { receiveForm }) } }
  }
}

/** Whether a parameter of a query refuses some text. */
const canFail = (query: Entries = {}) =>
  Object.values(query).some((schema) => !v.safeParse(schema, 'no such word').success)

function factsOf<Caller, Tools, Result>(
  literal: Literal,
  declared: Declaration<Caller, Tools, Result>,
  input: Input,
  refusal: number | undefined,
): RouteFacts {
  const [method, path] = literal.split(' ') as [Method, string]
  const names = [...path.matchAll(/\{(\w+)(?:\.\.\.)?\}/g)].map(([, name = '']) => name)
  const unknown = Object.keys(input.params ?? {}).filter((name) => !names.includes(name))
  if (unknown.length > 0) throw new Error(`Cannot declare ${literal}: its path has no ${unknown}`)
  const params = Object.fromEntries(names.map((name) => [name, input.params?.[name] ?? anyText]))
  const { name, refusals, challenges = false, admit } = declared.access
  const open = admit.length === 0
  const { isAnonymous = () => open } = declared.access
  const { returns, also = [], shared = false } = declared
  return {
    ...defaults,
    ...declared,
    literal,
    method,
    path,
    access: { name, refusals, challenges, open, isAnonymous },
    params,
    query: input.query ?? {},
    body: input.body,
    receivesForms: declared.receiveForm !== undefined,
    fails: failuresOf(declared, input.body, refusal),
    creates: method === 'POST' && returns.kind === 'value' && [returns.status, ...also].includes(201),
    isShareable: shared !== false || returns.kind === 'static',
  }
}

function failuresOf<Caller, Tools, Result>(
  declared: Declaration<Caller, Tools, Result>,
  body: Schema | undefined,
  refusal: number | undefined,
): number[] {
  const statuses = new Set([...declared.access.refusals, ...(declared.fails ?? [])])
  if (refusal !== undefined) statuses.add(refusal)
  if (body && !declared.alwaysValid) statuses.add(declared.invalid === undefined ? 422 : 400)
  for (const [status] of Object.values(declared.conflicts ?? {})) statuses.add(status)
  return [...statuses].sort((a, b) => a - b)
}
