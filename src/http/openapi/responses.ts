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
  /** The errors that all operations share, by name. */
  shared: Responses
  /** The answers of one operation, by status. */
  of: (route: RouteFacts, writer: Writer) => Responses
}

/** Headers of a list about its other pages. */
export const pageHeaders: Headers = {
  'X-Total-Count': { description: 'The number of rows in the whole list', schema: { type: 'integer' } },
  Link: {
    description: 'Addresses of the next, last, first and previous page (RFC 8288)',
    schema: { type: 'string' },
  },
}

export function contentOf(media: readonly string[], schema: Piece): Content {
  return Object.fromEntries(media.map((name) => [name.replace(/;.*/, ''), { schema }]))
}

/** Writes the answers of operations whose errors have the shape of this name. */
export function answersOf(error: string): Answers {
  const body = contentOf(['application/json'], { $ref: `#/components/schemas/${error}` })
  const shared = Object.fromEntries(
    Object.values(failures).map(([name, description, bodiless]) => [
      name,
      bodiless ? { description } : { description, content: body },
    ]),
  )
  return {
    shared,
    of: (route, writer) =>
      Object.fromEntries([
        ...[route.status, ...route.also].map((status) => [String(status), successOf(route, status, writer)]),
        ...route.fails.map((status) => [String(status), failureOf(status)]),
      ]),
  }
}

function failureOf(status: number): Response {
  const [name] = failures[status] ?? []
  if (name === undefined) throw new Error(`Cannot document status ${status}: it has no name`)
  return { $ref: `#/components/responses/${name}` }
}

function successOf(route: RouteFacts, status: number, writer: Writer): Response {
  const { shape, media = 'application/json', sends } = route
  const description = successes[status] ?? 'Done'
  if (!shape || status === 204) return { description }
  const paged = sends === 'page' || sends === 'found' || sends === 'counted'
  const headers = Object.keys(pageHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }])
  return {
    description,
    ...(paged && { headers: Object.fromEntries(headers) }),
    content: contentOf([media], writer.sent(shape)),
  }
}

const successes: Readonly<Record<number, string>> = {
  200: 'Done',
  201: 'Created',
  202: 'Accepted',
  204: 'Done; nothing is sent',
  205: 'Done; what was changed is sent',
}

/** Status → name of the shared response, description, and whether it has no body. Names are the original's. */
const failures: Readonly<Record<number, readonly [name: string, description: string, bodiless?: true]>> = {
  303: ['seeOther', 'What was asked stands at the address in Location', true],
  307: ['redirect', 'The same request goes to the address in Location: the name has changed', true],
  400: ['error', 'The request cannot be understood'],
  401: ['unauthorized', 'Nobody is signed in'],
  403: ['forbidden', 'The caller may not do this'],
  404: ['notFound', 'The target does not exist, or the caller may not know that it does'],
  405: ['notAllowed', 'The target does not allow this'],
  409: ['conflict', 'It conflicts with what is there'],
  412: ['preconditionFailed', 'A precondition does not hold'],
  413: ['tooLarge', 'The body is too large'],
  408: ['timeout', 'The body came too slowly'],
  415: ['unsupportedMediaType', 'A body of this type is not read'],
  422: ['validationError', 'A value is not acceptable'],
  423: ['repoArchivedError', 'The target is archived, and so cannot change'],
  429: [
    'tooManyRequests',
    'Too many sign-ins have failed, or too many requests: Retry-After tells when to try again',
  ],
  500: ['failed', 'The work failed'],
  503: ['unavailable', 'It cannot be served now: Retry-After tells when to try again'],
  507: ['insufficientStorage', 'There is no room for it'],
}
