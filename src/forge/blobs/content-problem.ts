import { ContentLost } from '../../blobs/blobs.ts'
import { StoreError } from '../../blobs/store-error.ts'
import { isDiskFull } from '../../common/errors.ts'
import { Problem, unavailable } from '../../http/route/problem.ts'

/** After how many seconds a client may try again where an operator has to act first. */
const longWait = 60

/** The error answer for a failure of the store of contents; undefined for any other error. */
export function contentProblem(error: unknown): Problem | undefined {
  if (isDiskFull(error)) return noSpace(String(error))
  if (error instanceof ContentLost)
    return unavailable('the file was removed while it was stored', error.message)
  if (!(error instanceof StoreError)) return undefined
  if (error.kind === 'full') return noSpace(error.message)
  if (error.kind === 'damaged')
    return unavailable('the content of the file is damaged', error.message, longWait)
  return error.kind === 'away'
    ? unavailable('the store of files cannot be reached', error.message, 5)
    : unavailable('the store of files refuses the request', error.message, longWait)
}

/** RFC 4918, section 11.5. */
const noSpace = (log: string) =>
  new Problem(507, 'the server has no space left for files', {
    log,
    headers: { 'Retry-After': String(longWait) },
  })
