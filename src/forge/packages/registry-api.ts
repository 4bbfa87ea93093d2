import { readJson } from '../../http/pipeline/body.ts'
import type { Api } from '../../http/route/api.ts'
import { badRequest, notFound, Problem } from '../../http/route/problem.ts'
import type { ForgeTools } from '../route.ts'
import { genericRoutes } from './generic-registry.ts'
import { npmRoutes } from './npm/registry.ts'
import { bothWays } from './npm/scoped.ts'
import { npmSearchRoutes } from './npm/search.ts'
import { npmTagRoutes } from './npm/tags.ts'

/** The package registries: what their clients call, beside the management API and with its credentials. */
export function registryApi(tools: ForgeTools): Api<ForgeTools> {
  return {
    prefix: '/api/packages',
    tools,
    routes: [
      ...genericRoutes,
      ...[...npmRoutes, ...npmTagRoutes, ...npmSearchRoutes].flatMap((route) => bothWays<ForgeTools>(route)),
    ],
    profile: {
      base: '/api/packages',
      json: 'application/json;charset=utf-8',
      anyOrigin: false,
      headers: ['Cache-Control', 'no-cache', 'X-Content-Type-Options', 'nosniff'],
      readBody: readJson,
      brokenPath: () => badRequest('the path is not well encoded'),
      // npm prints `error`.
      problem: ({ message }) => ({ error: message }),
      refuse: () => badRequest('the request is not understood'),
      unknownPath: () => notFound(),
      wrongMethod: () => new Problem(405, 'method not allowed'),
    },
  }
}
