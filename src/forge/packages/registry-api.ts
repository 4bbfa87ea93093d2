import { readJson } from '../../http/pipeline/body.ts'
import type { Api } from '../../http/route/api.ts'
import { badRequest, notFound, Problem } from '../../http/route/problem.ts'
import type { ForgeTools } from '../route.ts'
import { registryRoutes } from './routes.ts'

/** The API of the package registries for their clients; it accepts the same credentials as the management API. */
export function registryApi(tools: ForgeTools): Api<ForgeTools> {
  return {
    prefix: '/api/packages',
    tools,
    routes: registryRoutes,
    profile: {
      base: '/api/packages',
      json: 'application/json;charset=utf-8',
      anyOrigin: false,
      headers: ['Cache-Control', 'no-cache', 'X-Content-Type-Options', 'nosniff'],
      readBody: readJson,
      brokenPath: () => badRequest('the path is not well encoded'),
      // npm prints the member `error`.
      problem: ({ message }) => ({ error: message }),
      refuse: () => badRequest('the request is not understood'),
      unknownPath: () => notFound(),
      wrongMethod: () => new Problem(405, 'method not allowed'),
    },
  }
}
