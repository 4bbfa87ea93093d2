import * as v from 'valibot'
import { readJson } from '../http/pipeline/body.ts'
import { type Prepared, prepare, sending } from '../http/pipeline/prepared.ts'
import type { Api } from '../http/route/api.ts'
import { badRequest, notFound, Problem } from '../http/route/problem.ts'
import { type Access, routeOf } from '../http/route/route.ts'
import { files, page, policy } from './page.ts'

/** The documents of both APIs as bytes, each made on first use. */
interface WebTools {
  /** The forge as OpenAPI 3.1, and as Swagger 2.0. */
  forge: () => Prepared
  forgeFormerly: () => Prepared
  site: () => Prepared
}

const route = routeOf<WebTools>()

/** The documentation is public, even if the forge requires a sign-in. */
const anyone: Access<null, WebTools> = { name: 'anyone', refusals: [], admit: () => null }

const reading = { access: anyone, sends: 'stream' } as const
const OpenApi = v.looseObject({ openapi: v.string() })

const showPage = route(
  'GET /api/swagger',
  {
    ...reading,
    operationId: 'getReferencePage',
    summary: 'The reference of both APIs, to read and to try',
    returns: [200, v.string()],
    media: page.type,
  },
  () => sending(page, { 'Content-Security-Policy': policy }),
)

const showFile = route(
  'GET /api/swagger/{file}',
  {
    ...reading,
    operationId: 'getReferenceFile',
    summary: 'Scripts, styles and the picture of the reference page',
    params: { file: v.string() },
    fails: [404],
    returns: [200],
  },
  ({ params }) => {
    const file = files.get(params.file)
    if (!file) throw notFound()
    return sending(file)
  },
)

const forge = route(
  'GET /openapi3.v1.json',
  {
    ...reading,
    operationId: 'getForgeDocument',
    summary: 'The management API as OpenAPI 3.1',
    returns: [200, OpenApi],
  },
  ({ tools }) => sending(tools.forge()),
)

const forgeFormerly = route(
  'GET /swagger.v1.json',
  {
    ...reading,
    operationId: 'getForgeSwagger',
    summary: 'The management API as Swagger 2.0',
    returns: [200, v.looseObject({ swagger: v.literal('2.0') })],
  },
  ({ tools }) => sending(tools.forgeFormerly()),
)

const site = route(
  'GET /api/openapi.json',
  {
    ...reading,
    operationId: 'getSiteDocument',
    summary: 'The site API as OpenAPI 3.1',
    returns: [200, OpenApi],
  },
  ({ tools }) => sending(tools.site()),
)

const json = 'application/json; charset=utf-8'

/** Makes the tools from what makes the documents. */
export function webTools(documents: Record<keyof WebTools, () => object>): WebTools {
  const prepared = (make: () => object) => {
    let made: Prepared | undefined
    return () => {
      made ??= prepare(json, JSON.stringify(make()))
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
    routes: [showPage, showFile, forge, forgeFormerly, site],
    profile: {
      base: '',
      json,
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
