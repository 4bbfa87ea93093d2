import { ContentLost } from '../../blobs/blobs.ts'
import { StoreError } from '../../blobs/store-error.ts'
import { isDiskFull } from '../../errors.ts'
import { Problem, unavailable } from '../../http/route/problem.ts'

/** After how many seconds a client may try again where an operator has to act first. */
const longWait = 60

/** The error answer for a failure of what holds the contents of packages; undefined for any other error. */
export function contentProblem(error: unknown): Problem | undefined {
  if (isDiskFull(error)) return noSpace(String(error))
  if (error instanceof ContentLost) return unavailable('the package is being cleaned up', error.message)
  if (!(error instanceof StoreError)) return undefined
  if (error.kind === 'full') return noSpace(error.message)
  if (error.kind === 'damaged')
    return unavailable('the content of the package is damaged', error.message, longWait)
  return error.kind === 'away'
    ? unavailable('the store of packages is away', error.message, 5)
    : unavailable('the content store refuses the request', error.message, longWait)
}

/** RFC 4918, section 11.5. */
const noSpace = (log: string) =>
  new Problem(507, 'the server has no place left for packages', {
    log,
    headers: { 'Retry-After': String(longWait) },
  })
