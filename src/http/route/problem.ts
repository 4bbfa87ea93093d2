/** Optional parts of a problem, besides the message for the caller. */
interface Extra {
  /** Shown in the log only; never sent. */
  log?: string | undefined
  /** Response headers, for example `Retry-After`. */
  headers?: Readonly<Record<string, string>>
  /** Additional members of the error body, besides the message. */
  members?: Readonly<Record<string, unknown>>
  form?: Form
  /** The error as an HTML page for clients that prefer HTML, in place of that of the API. */
  page?: string
  /** Whether a limit of this server refuses the request: that is no fault, and many requests reach it at once. */
  isLoad?: boolean
}

/** Format of the error body: the API's own, its short form without extras, a line of text, or no body. */
type Form = 'own' | 'brief' | 'text' | 'empty'

/**
 * An error answer with two messages: `message` goes to the caller, `extra.log` to the log. Handlers throw it; the
 * pipeline turns it into the API's error body.
 */
export class Problem extends Error {
  constructor(
    /** HTTP status, 300 to 599. */
    readonly status: number,
    message: string,
    readonly extra: Extra = {},
  ) {
    super(message)
    this.name = 'Problem'
  }
}

/**
 * 503: the rows that the access check has read have changed. The pipeline authorizes the request again and repeats the
 * handler, so that the caller gets the answer to a request that has just arrived.
 */
export class Outdated extends Problem {
  constructor() {
    super(503, 'the request met another change, try again', { headers: { 'Retry-After': '1' } })
  }
}

/** 307: the same request again, method and body included, at another address (RFC 9110, section 15.4.8). */
export const movedTo = (location: string) =>
  new Problem(307, 'moved', { form: 'empty', headers: { Location: location } })

/** 400: the request cannot be understood. */
export const badRequest = (message: string) => new Problem(400, message)

/** 403: the caller is known, but not allowed to do this. */
export const forbidden = (message: string) => new Problem(403, message)

/** 404: the resource does not exist, or the caller may not know that it does. */
export const notFound = (message = 'not found') => new Problem(404, message)

/** 409: the request conflicts with an existing resource. */
export const conflict = (message: string) => new Problem(409, message)

/** 422: understood, but not acceptable. */
export const unprocessable = (message: string) => new Problem(422, message)

/** 429: this caller has sent too many requests, or has failed too often (RFC 6585, section 4); `seconds` is the value of `Retry-After`. */
export const tooManyRequests = (message: string, seconds: number) =>
  new Problem(429, message, { headers: { 'Retry-After': String(seconds) } })

/** 503: temporarily unavailable; `seconds` is the value of `Retry-After`. */
export const unavailable = (message: string, log?: string, seconds = 1) =>
  new Problem(503, message, { log, headers: { 'Retry-After': String(seconds) } })

/** 503: a limit of this server is reached. */
export const busy = (message: string, log: string, seconds = 1) =>
  new Problem(503, message, { log, isLoad: true, headers: { 'Retry-After': String(seconds) } })

/**
 * Returns the row.
 * @throws Problem 404 with this sentence if there is no row
 */
export function found<Row>(row: Row | null | undefined, sentence = 'not found'): Row {
  if (row === null || row === undefined) throw notFound(sentence)
  return row
}
