import { readJson } from '../../http/pipeline/body.ts'
import { type Api, type ApiProfile, routesOf } from '../../http/route/api.ts'
import { badRequest, notFound, Problem } from '../../http/route/problem.ts'
import type { ForgeTools } from '../route.ts'
import { RESULTS_PATH } from './address.ts'
import * as pipelines from './pipelines.ts'
import { withMessageNames } from './results.option.ts'
import * as results from './results.ts'
import * as summaries from './summaries.ts'

/** The two protocols in which jobs store and fetch artifacts, and runners send summaries. */

const common = {
  json: 'application/json',
  anyOrigin: false,
  headers: ['X-Content-Type-Options', 'nosniff', 'Cache-Control', 'no-store'],
  readBody: (bytes: Buffer) => readJson(bytes),
  refuse: () => badRequest('the request is not understood'),
  unknownPath: () => notFound('there is no such call'),
  wrongMethod: () => new Problem(405, 'method not allowed'),
} satisfies Partial<ApiProfile>

/** Of v4, which has the error format of Twirp. */
export const resultsApi = (tools: ForgeTools): Api<ForgeTools> => ({
  prefix: `/${RESULTS_PATH}`,
  tools,
  routes: routesOf(results),
  profile: {
    ...common,
    base: '/twirp',
    readBody: (bytes) => withMessageNames(readJson(bytes)),
    problem: ({ status, message }) => ({ code: codes[status] ?? 'internal', msg: message }),
  },
})

const codes: Readonly<Record<number, string>> = {
  400: 'malformed',
  401: 'unauthenticated',
  404: 'not_found',
  405: 'bad_route',
  408: 'deadline_exceeded',
  409: 'already_exists',
  413: 'resource_exhausted',
  415: 'malformed',
  422: 'invalid_argument',
  503: 'unavailable',
}

/** Of v3, and of runners. */
export const pipelinesApi = (tools: ForgeTools): Api<ForgeTools> => ({
  prefix: '/api/actions_pipeline',
  tools,
  routes: { ...routesOf(pipelines), ...routesOf(summaries) },
  profile: { ...common, base: '/api/actions_pipeline', problem: ({ message }) => ({ message }) },
})
