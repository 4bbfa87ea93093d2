import { jsonBody } from '../http/pipeline/body.ts'
import type { Api, ApiProfile } from '../http/route/api.ts'
import { badRequest, notFound, Problem } from '../http/route/problem.ts'
import type { SiteTools } from './route.ts'
import { type SiteRights, siteRoutes } from './routes.ts'

/** How the site answers. */
export const siteProfile: ApiProfile = {
  base: '/api',
  json: 'application/json; charset=utf-8',
  anyOrigin: true,
  headers: Object.entries({
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'ETag, Idempotency-Replayed, Retry-After, X-Request-Id',
    // Clients must revalidate each read, and get 304 if nothing has changed.
    'Cache-Control': 'no-cache',
    'X-Content-Type-Options': 'nosniff',
  }).flat(),
  readBody: (bytes, { contentType, route }) => jsonBody(bytes, contentType, route.accepts),
  problem: ({ message }) => ({ error: message }),
  refuse: (issues) => badRequest(issues[0]?.message ?? 'invalid request'),
  unknownPath: () => notFound(),
  wrongMethod: () => new Problem(405, 'method not allowed'),
}

/** The Site Content and Presence Service. */
export const siteApiFor = (rights: SiteRights, tools: SiteTools): Api<SiteTools> => ({
  prefix: '',
  tools,
  routes: siteRoutes(rights),
  profile: siteProfile,
})
