import type { IncomingHttpHeaders } from 'node:http'
import type { ApiProfile } from '../route/api.ts'
import { Problem } from '../route/problem.ts'
import type { RouteLocation, Router } from '../route/router.ts'
import type { Reply } from './reply.ts'

/** A request that matches no route. */
interface UnmatchedRequest {
  method: string | undefined
  path: string
  headers: IncomingHttpHeaders
  profile: ApiProfile
}

/**
 * Answers `OPTIONS *` and CORS preflights; any other request without a route gets an error.
 * @throws Problem 404 unknown path, 405 path with other methods
 */
export function fallback(
  { method, path, headers, profile }: UnmatchedRequest,
  router: Router<RouteLocation>,
): Reply {
  // `OPTIONS *` only checks that the server responds (RFC 9110, section 9.3.7).
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
  const requestedHeaders = headers['access-control-request-headers']
  if (requestedHeaders) preflight.push('Access-Control-Allow-Headers', requestedHeaders)
  return empty(preflight)
}

const empty = (headers: readonly string[]): Reply => ({ status: 204, headers, chunks: [], length: 0 })
