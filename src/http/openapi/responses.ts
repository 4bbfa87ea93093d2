import type { RouteFacts } from '../route/route.ts'
import type { Piece, Writer } from './schema.ts'

/** Schemas by media type. */
export type Content = Readonly<Record<string, { schema: Piece }>>
export type Headers = Readonly<Record<string, { description: string; schema: Piece }>>

/** An answer of an operation, or a reference to one that many operations share. */
export type Response =
  | { $ref: string }
  | { description: string; headers?: Readonly<Record<string, { $ref: string }>>; content?: Content }

export type Responses = Readonly<Record<string, Response>>

export interface Answers {
  /** The errors of the operations that were written, by name. */
  shared: () => Responses
  /** Their headers, by name. */
  headers: () => Headers
  /** The answers of one operation, by status. */
  of: (route: RouteFacts, writer: Writer) => Responses
}

/** Headers of answers, by name. */
const documented: Headers = {
  'X-Total-Count': {
    description:
      'The number of rows in the whole list; if `Link` has `next` but no `last`, the list has more rows than this',
    schema: { type: 'integer' },
  },
  'X-Page': { description: 'The page, counted from 1', schema: { type: 'integer' } },
  'X-PerPage': { description: 'Rows in a page', schema: { type: 'integer' } },
  'X-Total': { description: 'The same as X-Total-Count', schema: { type: 'integer' } },
  'X-PageCount': { description: 'The number of pages', schema: { type: 'integer' } },
  'X-HasMore': { description: 'Whether there is a next page', schema: { type: 'boolean' } },
  Link: {
    description: 'Addresses of the next, last, first and previous page (RFC 8288)',
    schema: { type: 'string' },
  },
  ETag: {
    description:
      'Identifies this answer: while nothing has changed, the same request with it in If-None-Match gets 304',
    schema: { type: 'string' },
  },
  Location: { description: 'The address to request instead', schema: { type: 'string' } },
  'WWW-Authenticate': {
    description: 'How to authenticate; absent if the request has invalid credentials',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'Seconds to wait before another attempt', schema: { type: 'integer' } },
  'Idempotency-Replayed': {
    description: 'Present if this is the answer to an earlier request with the same Idempotency-Key',
    schema: { type: 'string', enum: ['true'] },
  },
}

export function contentOf(media: readonly string[], schema: Piece): Content {
  return Object.fromEntries(media.map((name) => [name.replace(/;.*/, ''), { schema }]))
}

/** Writes the answers of operations whose errors have this schema. */
export function answersOf(error: Piece): Answers {
  const body = contentOf(['application/json'], error)
  const shared: Record<string, Response> = {}
  const used = new Set<string>()
  const withHeaders = (names: readonly string[]) => {
    for (const name of names) used.add(name)
    const headers = names.map((name) => [name, { $ref: `#/components/headers/${name}` }])
    return names.length > 0 ? { headers: Object.fromEntries(headers) } : {}
  }
  const success = (route: RouteFacts, status: number, writer: Writer): Response => {
    const { description, content } = successOf(route, status, writer)
    return { description, ...withHeaders(headersOf(route, status)), ...(content && { content }) }
  }
  const refer = (route: RouteFacts, status: number): Response => {
    const failure = failures[status]
    if (!failure) throw new Error(`Cannot document status ${status}: it has no name`)
    const isRefusal = isRenderRefusal(route, status)
    const [common, description, { isEmpty = false } = {}] = failure
    const name = isRefusal ? 'renderError' : common
    shared[name] = {
      description,
      ...withHeaders(headersOf(route, status)),
      ...(!isEmpty && { content: isRefusal ? { ...body, ...line } : body }),
    }
    return { $ref: `#/components/responses/${name}` }
  }
  return {
    shared: () => shared,
    headers: () => Object.fromEntries(Object.entries(documented).filter(([name]) => used.has(name))),
    of: (route, writer) =>
      Object.fromEntries([
        ...[route.returns.status, ...route.also].map((status) => [
          String(status),
          success(route, status, writer),
        ]),
        ...[...route.fails, ...(route.creates ? keyed : [])].map((status) => [
          String(status),
          refer(route, status),
        ]),
      ]),
  }
}

/** A text that cannot be rendered gets a line of text, as in Gitea; a malformed body gets an error in the form of the API. */
const isRenderRefusal = (route: RouteFacts, status: number) =>
  status === 422 && route.returns.media?.startsWith('text/html') === true
const line = contentOf(['text/plain'], { type: 'string' })

/** Errors for an Idempotency-Key: it is malformed, its request still runs, it was used for another request. */
const keyed = [400, 409, 422] as const

function successOf(
  { returns: { shape, media = 'application/json' } }: RouteFacts,
  status: number,
  writer: Writer,
): { description: string; content?: Content } {
  const description = successes[status] ?? 'Done'
  if (!shape || status === 204) return { description }
  return { description, content: contentOf([media], writer.sent(shape)) }
}

/** Streams have a tag if clients may request ranges of them. */
const hasTag = ({ method, returns, also }: RouteFacts, status: number) =>
  method === 'GET' &&
  status !== 204 &&
  (returns.kind === 'stream' ? also.includes(206) : returns.shape !== undefined)

/** The headers that the document names for an answer of an operation. */
export function headersOf(route: RouteFacts, status: number): readonly string[] {
  if (status === 401 && route.access.challenges) return ['WWW-Authenticate']
  if (status !== route.returns.status && !route.also.includes(status))
    return failures[status]?.[2]?.headers ?? []
  const { page } = route.returns
  return [
    ...(status >= 300 && status < 304 ? ['Location'] : []),
    ...(page ? ['X-Total-Count'] : []),
    ...(page?.isNumbered ? ['X-Page', 'X-PerPage', 'X-Total', 'X-PageCount', 'X-HasMore'] : []),
    ...(page ? ['Link'] : []),
    ...(hasTag(route, status) ? ['ETag'] : []),
    ...(route.creates ? ['Idempotency-Replayed'] : []),
  ]
}

const successes: Readonly<Record<number, string>> = {
  200: 'Done',
  201: 'Created',
  202: 'Accepted',
  204: 'Done; the answer has no body',
  205: 'Done; the body is what was changed',
  302: 'The content is at another address',
}

/** What differs in an error from a body in the form of the API without headers. */
interface Failure {
  headers?: readonly string[]
  isEmpty?: boolean
}

const elsewhere: Failure = { headers: ['Location'], isEmpty: true }
const later: Failure = { headers: ['Retry-After'] }

/** Status → name of the shared response, description, and what is special about it. Names are the original's. */
const failures: Readonly<Record<number, readonly [name: string, description: string, Failure?]>> = {
  303: ['seeOther', 'The requested content is at the address in Location', elsewhere],
  307: ['redirect', 'The name has changed: send the same request to the address in Location', elsewhere],
  400: ['error', 'The request cannot be understood'],
  401: ['unauthorized', 'Nobody is signed in'],
  403: ['forbidden', 'The caller may not do this'],
  404: ['notFound', 'The target does not exist, or the caller may not know that it does'],
  405: ['notAllowed', 'The target does not allow this'],
  409: [
    'conflict',
    'The request conflicts with the current state, or a request with this Idempotency-Key still runs',
    later,
  ],
  412: ['preconditionFailed', 'The state of the target does not allow this yet'],
  413: ['tooLarge', 'The body is larger than the server accepts'],
  415: ['unsupportedType', 'The server does not accept this type of body'],
  422: ['validationError', 'A value is not acceptable, or the Idempotency-Key was used for another request'],
  423: ['repoArchivedError', 'The target is archived, so it cannot change'],
  429: ['tooManyRequests', 'Too many sign-ins have failed, or too many requests', later],
  503: ['unavailable', 'The server cannot answer now', later],
  507: ['insufficientStorage', 'The server has no space left for it'],
}
