import * as v from 'valibot'
import { readJson } from '../http/pipeline/body.ts'
import type { Api } from '../http/route/api.ts'
import type { OpenApi } from '../http/route/openapi.ts'
import { badRequest, notFound, Problem } from '../http/route/problem.ts'
import { ReplyWith } from '../http/route/results.ts'
import { type Access, routeOf } from '../http/route/route.ts'
import { policy, referencePage } from './page.ts'

/** The documents of both APIs, each made on first use and then reused. */
interface WebTools {
  forge: () => OpenApi
  site: () => OpenApi
  /** The reference page of both, made on first use. */
  page: () => ReplyWith<string>
}

const route = routeOf<WebTools>()

/** The documentation is public, even if the forge requires a sign-in. */
const anyone: Access<null, WebTools> = { name: 'anyone', refusals: [], admit: () => null }

const reading = { access: anyone, shared: true, fixed: true } as const
const Document = v.looseObject({ openapi: v.string() })

const page = route(
  'GET /api/swagger',
  {
    operationId: 'getReferencePage',
    summary: 'All operations of both APIs, to read',
    ...reading,
    returns: [200, v.string()],
    media: 'text/html; charset=utf-8',
  },
  ({ tools }) => tools.page(),
)

const forge = route(
  'GET /swagger.v1.json',
  {
    operationId: 'getForgeDocument',
    summary: 'The management API as OpenAPI',
    ...reading,
    returns: [200, Document],
  },
  ({ tools }) => tools.forge(),
)

const site = route(
  'GET /api/openapi.json',
  {
    operationId: 'getSiteDocument',
    summary: 'The site API as OpenAPI',
    ...reading,
    returns: [200, Document],
  },
  ({ tools }) => tools.site(),
)

/** Makes the tools from what makes the documents. */
export function webTools(documents: { forge: () => OpenApi; site: () => OpenApi }): WebTools {
  const [forge, site] = [once(documents.forge), once(documents.site)]
  const page = once(() => {
    const chapters = [
      { document: forge(), address: '../swagger.v1.json' },
      { document: site(), address: 'openapi.json' },
    ]
    return new ReplyWith(referencePage(chapters), { headers: { 'Content-Security-Policy': policy } })
  })
  return { forge, site, page }
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** The API description: documents and reference page. */
export function webApi(tools: WebTools): Api<WebTools> {
  return {
    prefix: '',
    tools,
    routes: [page, forge, site],
    profile: {
      base: '',
      json: 'application/json; charset=utf-8',
      anyOrigin: true,
      headers: [
        ...['Access-Control-Allow-Origin', '*'],
        ...['Cache-Control', 'no-cache'],
        ...['X-Content-Type-Options', 'nosniff'],
        ...['Referrer-Policy', 'no-referrer'],
      ],
      readBody: readJson,
      problem: ({ message }) => ({ error: message }),
      refuse: (issues) => badRequest(issues[0]?.message ?? 'invalid request'),
      unknownPath: () => notFound(),
      wrongMethod: () => new Problem(405, 'method not allowed'),
    },
  }
}
