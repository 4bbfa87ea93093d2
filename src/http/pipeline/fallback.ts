import type { IncomingHttpHeaders } from 'node:http'
import type { ApiProfile } from '../route/api.ts'
import { Problem } from '../route/problem.ts'
import type { RouteLocation, Router } from '../route/router.ts'
import type { Reply } from './reply.ts'

/** What is asked for where no route is. */
interface UnmatchedRequest {
  method: string | undefined
  path: string
  headers: IncomingHttpHeaders
  profile: ApiProfile
}

/**
 * The server as a whole, a preflight, a path with other methods, or no path at all.
 * @throws Problem 404, 405
 */
export function fallback(
  { method, path, headers, profile }: UnmatchedRequest,
  router: Router<RouteLocation>,
): Reply {
  // Of the whole server nothing can be told but that it is there (RFC 9110, section 9.3.7).
  if (method === 'OPTIONS' && path === '*') return empty(profile.headers)
  const methods = router.methodsOf(path)
  if (methods.length === 0) throw profile.unknownPath()
  const allowed = (profile.anyOrigin ? [...methods, 'OPTIONS'] : methods).join(', ')
  if (method !== 'OPTIONS' || !profile.anyOrigin) {
    const problem = profile.wrongMethod()
    throw new Problem(problem.status, problem.message, { ...problem.extra, headers: { Allow: allowed } })
  }
  const preflight = [...profile.headers, 'Allow', allowed]
  preflight.push('Access-Control-Allow-Methods', allowed, 'Access-Control-Max-Age', '86400')
  const asked = headers['access-control-request-headers']
  if (asked) preflight.push('Access-Control-Allow-Headers', asked)
  return empty(preflight)
}

const empty = (headers: readonly string[]): Reply => ({ status: 204, headers, chunks: [], length: 0 })
