/** The message that runners recognize: newer ones exit when they receive it. */
export const UNREGISTERED = 'unregistered runner'

/** The code of the Connect protocol for an HTTP status. */
export const codeOf = (status: number): string => codes[status] ?? 'internal'

const codes: Readonly<Record<number, string>> = {
  400: 'invalid_argument',
  401: 'unauthenticated',
  403: 'permission_denied',
  404: 'not_found',
  409: 'aborted',
  413: 'resource_exhausted',
  415: 'invalid_argument',
  501: 'unimplemented',
  503: 'unavailable',
}
