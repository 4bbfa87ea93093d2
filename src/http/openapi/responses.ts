import { isCreation } from '../idempotency/idempotency.ts'
import type { RouteFacts } from '../route/route.ts'
import type { Piece, Writer } from './schema.ts'

/** Schemas by media type. */
export type Content = Readonly<Record<string, { schema: Piece }>>
export type Headers = Readonly<Record<string, { description: string; schema: Piece }>>

/** What an operation answers, or a reference to an answer that many operations share. */
export type Response =
  | { $ref: string }
  | { description: string; headers?: Readonly<Record<string, { $ref: string }>>; content?: Content }

export type Responses = Readonly<Record<string, Response>>

export interface Answers {
  /** The errors that the operations so far have, by name. */
  shared: () => Responses
  /** The headers that they have, by name. */
  headers: () => Headers
  /** The answers of one operation, by status. */
  of: (route: RouteFacts, writer: Writer) => Responses
}

/** Headers of answers, by name. */
const documented: Headers = {
  'X-Total-Count': {
    description:
      'The number of rows in the whole list; if `Link` has `next` but no `last`, those that were counted, and there are more',
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
      'Names this answer: with it in If-None-Match the same request is 304 while nothing has changed',
    schema: { type: 'string' },
  },
  Location: { description: 'Where to ask instead', schema: { type: 'string' } },
  'WWW-Authenticate': {
    description: 'How to authenticate; absent where credentials came and do not hold',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'Seconds until another attempt makes sense', schema: { type: 'integer' } },
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
    const known = failures[status]
    if (!known) throw new Error(`Cannot document status ${status}: it has no name`)
    const isRefusal = isRenderRefusal(route, status)
    const [common, description, { isEmpty = false } = {}] = known
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
        ...[...route.fails, ...(isCreation(route) ? keyed : [])].map((status) => [
          String(status),
          refer(route, status),
        ]),
      ]),
  }
}

/** What cannot be rendered is refused in a line of text, as in Gitea; a malformed body in the form of the API. */
const isRenderRefusal = (route: RouteFacts, status: number) =>
  status === 422 && route.returns.media?.startsWith('text/html') === true
const line = contentOf(['text/plain'], { type: 'string' })

/** How a creating operation refuses an Idempotency-Key: a malformed one, one whose request still runs, one of another. */
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

/** Of streams, those have a tag that a client may ask parts of. */
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
    ...(page ? ['X-Total-Count'] : []),
    ...(page?.isNumbered ? ['X-Page', 'X-PerPage', 'X-Total', 'X-PageCount', 'X-HasMore'] : []),
    ...(page?.isLinked ? ['Link'] : []),
    ...(hasTag(route, status) ? ['ETag'] : []),
    ...(isCreation(route) ? ['Idempotency-Replayed'] : []),
  ]
}

const successes: Readonly<Record<number, string>> = {
  200: 'Done',
  201: 'Created',
  202: 'Accepted',
  204: 'Done; nothing is sent',
  205: 'Done; what was changed is sent',
}

/** What an error has besides a body in the form of the API. */
interface Failure {
  headers?: readonly string[]
  isEmpty?: boolean
}

const elsewhere: Failure = { headers: ['Location'], isEmpty: true }
const later: Failure = { headers: ['Retry-After'] }

/** Status → name of the shared response, description, and what is special about it. Names are the original's. */
const failures: Readonly<Record<number, readonly [name: string, description: string, Failure?]>> = {
  303: ['seeOther', 'What was asked stands at the address in Location', elsewhere],
  307: ['redirect', 'The same request goes to the address in Location: the name has changed', elsewhere],
  400: ['error', 'The request cannot be understood'],
  401: ['unauthorized', 'Nobody is signed in'],
  403: ['forbidden', 'The caller may not do this'],
  404: ['notFound', 'The target does not exist, or the caller may not know that it does'],
  405: ['notAllowed', 'The target does not allow this'],
  409: [
    'conflict',
    'It conflicts with what is there, or a request with this Idempotency-Key still runs',
    later,
  ],
  412: ['preconditionFailed', 'Something else must come first'],
  413: ['tooLarge', 'It is larger than the server takes'],
  415: ['unsupportedType', 'It is of a type that the server does not take'],
  422: ['validationError', 'A value is not acceptable, or the Idempotency-Key was used for another request'],
  423: ['repoArchivedError', 'The target is archived, and so cannot change'],
  429: ['tooManyRequests', 'Too many sign-ins have failed, or too many requests', later],
  503: ['unavailable', 'It cannot be served now', later],
  507: ['insufficientStorage', 'There is no room for it'],
}
