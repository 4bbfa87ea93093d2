import type { Api } from '../http/route/api.ts'
import { Problem } from '../http/route/problem.ts'
import { readForgeBody, refuseBody, refuseQuery } from './protocol/body.ts'
import type { ForgeTools } from './route.ts'
import { forgeRoutes } from './routes.ts'

/** Where the API is mounted: its specification prints paths without it. */
export const FORGE_PREFIX = '/api/v1'

/** The Forge Management API. */
export function forgeApi(tools: ForgeTools): Api<ForgeTools> {
  const url = `${tools.root}api/swagger`
  return {
    prefix: FORGE_PREFIX,
    tools,
    routes: forgeRoutes,
    profile: {
      base: FORGE_PREFIX,
      json: 'application/json;charset=utf-8',
      anyOrigin: false,
      headers: Object.entries({
        'Cache-Control': 'max-age=0, private, must-revalidate',
        'X-Content-Type-Options': 'nosniff',
        'X-Frame-Options': 'SAMEORIGIN',
      }).flat(),
      readBody: readForgeBody,
      brokenPath: () => new Problem(400, 'the path is not well encoded', { form: 'text' }),
      problem: ({ message, extra }) =>
        extra.form === 'brief' ? { ...extra.members, message } : { ...extra.members, message, url },
      refuse: refuseBody,
      refuseQuery,
      unknownPath: () => new Problem(404, '404 page not found', { form: 'text' }),
      wrongMethod: () => new Problem(405, 'method not allowed', { form: 'empty' }),
    },
  }
}
