import * as v from 'valibot'
import { readJson } from '../http/pipeline/body.ts'
import { staticText } from '../http/pipeline/static.ts'
import type { Api } from '../http/route/api.ts'
import { badRequest, notFound, Problem } from '../http/route/problem.ts'
import type { StaticContent } from '../http/route/results.ts'
import { type Access, routeOf } from '../http/route/route.ts'
import { staticContent } from '../http/route/sends.ts'
import { files, page } from './page.ts'

/** The documents of both APIs as bytes, each made on first use. */
interface WebTools {
  /** The forge as OpenAPI 3.1, and as Swagger 2.0. */
  forge: () => StaticContent
  forgeFormerly: () => StaticContent
  site: () => StaticContent
}

const route = routeOf<WebTools>()

/** The documentation is public, even if the forge requires a sign-in. */
const anyone: Access<null, WebTools> = { name: 'anyone', refusals: [], admit: () => null }

const OpenApi = v.looseObject({ openapi: v.string() })

const getReferencePage = route('GET /api/swagger', {
  access: anyone,
  summary: 'The reference of both APIs, to read and to try',
  returns: staticContent(v.string(), page.type),
  handler: () => page,
})

const getReferenceFile = route('GET /api/swagger/{file}', {
  access: anyone,
  summary: 'Scripts, styles and the picture of the reference page',
  fails: [404],
  returns: staticContent(),
  handler: ({ params }) => {
    const file = files.get(params.file)
    if (!file) throw notFound()
    return file
  },
})

const getForgeDocument = route('GET /openapi3.v1.json', {
  access: anyone,
  summary: 'The management API as OpenAPI 3.1',
  returns: staticContent(OpenApi),
  handler: ({ tools }) => tools.forge(),
})

const getForgeSwagger = route('GET /swagger.v1.json', {
  access: anyone,
  summary: 'The management API as Swagger 2.0',
  returns: staticContent(v.looseObject({ swagger: v.literal('2.0') })),
  handler: ({ tools }) => tools.forgeFormerly(),
})

const getSiteDocument = route('GET /api/openapi.json', {
  access: anyone,
  summary: 'The site API as OpenAPI 3.1',
  returns: staticContent(OpenApi),
  handler: ({ tools }) => tools.site(),
})

const json = 'application/json; charset=utf-8'

/** Makes the tools from what makes the documents. */
export function webTools(documents: Record<keyof WebTools, () => object>): WebTools {
  const prepared = (make: () => object) => {
    let made: StaticContent | undefined
    return () => {
      made ??= staticText(json, JSON.stringify(make()))
      return made
    }
  }
  return {
    forge: prepared(documents.forge),
    forgeFormerly: prepared(documents.forgeFormerly),
    site: prepared(documents.site),
  }
}

/** The API description: documents and reference page. */
export function webApi(tools: WebTools): Api<WebTools> {
  return {
    prefix: '',
    tools,
    routes: { getReferencePage, getReferenceFile, getForgeDocument, getForgeSwagger, getSiteDocument },
    profile: {
      base: '',
      json,
      anyOrigin: true,
      headers: Object.entries({
        'Access-Control-Allow-Origin': '*',
        'Cache-Control': 'no-cache',
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
      }).flat(),
      readBody: readJson,
      problem: ({ message }) => ({ error: message }),
      refuse: (issues) => badRequest(issues[0]?.message ?? 'invalid request'),
      unknownPath: () => notFound(),
      wrongMethod: () => new Problem(405, 'method not allowed'),
    },
  }
}
