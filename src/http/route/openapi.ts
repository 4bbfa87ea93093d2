import { toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import type { Mounted } from './api.ts'
import type { RouteFacts } from './route.ts'
import type { Schema } from './validate.ts'

/** What the OpenAPI document of an API is made from. `shapes` are the schemas that get their own component name. */
interface Documented {
  title: string
  version: string
  routes: readonly Mounted[]
  shapes: Readonly<Record<string, Schema>>
  /** Root of the paths, relative to the URL of the document; absent: the root of that host. */
  server?: string
  /** Authentication schemes by name (OpenAPI 3.0, "Security Scheme Object"); any one suffices, and none is required. */
  security?: Readonly<Record<string, { type: 'http'; scheme: 'basic' | 'bearer' }>>
}

/** A part of the document: JSON of unspecified structure. */
type Piece = { [name: string]: unknown }

/** Schemas by media type. */
type Content = Readonly<Record<string, { schema: Piece }>>

export interface Operation {
  operationId: string
  'x-forgehall-extension'?: boolean
  summary: string
  deprecated?: boolean
  parameters: { name: string; in: 'path' | 'query'; required: boolean; schema: Piece }[]
  requestBody?: { required: boolean; content: Content }
  responses: Readonly<Record<string, { description: string; content?: Content }>>
}

/** The members of an OpenAPI document that this module reads or writes. */
export type OpenApi = {
  openapi: string
  info: { title: string; version: string }
  servers?: { url: string }[]
  security?: Record<string, string[]>[]
  /** Path → method in lower case → operation. */
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Piece; securitySchemes?: Documented['security'] }
}

/** The OpenAPI 3.0 document of an API, made from its route declarations alone. */
export function openApi({ title, version, routes, shapes, server, security }: Documented): OpenApi {
  const write = writer(shapes)
  const paths: OpenApi['paths'] = {}
  for (const { route, path, method } of routes) {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(route, write) }
  }
  return {
    openapi: '3.0.3',
    info: { title, version },
    ...(server !== undefined && { servers: [{ url: server }] }),
    ...(security && { security: [{}, ...Object.keys(security).map((name) => ({ [name]: [] }))] }),
    paths,
    components: {
      schemas: toJsonSchemaDefs(shapes, { ...dialect, typeMode: 'input' }),
      ...(security && { securitySchemes: security }),
    },
  }
}

/** Converts schemas to JSON Schema; schemas with a component name become references. */
interface Writer {
  /** The output type of a schema: a parameter after parsing. */
  received: (schema: Schema) => Piece
  /** The input type of a schema, as sent over the network: bodies and replies. */
  sent: (schema: Schema) => Piece
}

const overrideRef = ({ referenceId }: { referenceId: string }) => `#/components/schemas/${referenceId}`
const dialect = { target: 'openapi-3.0', errorMode: 'ignore', overrideRef } as const

function writer(shapes: Documented['shapes']): Writer {
  const names = new Map(Object.entries(shapes).map(([name, schema]) => [schema, name]))
  const write = (schema: Schema, typeMode: 'input' | 'output'): Piece => {
    // Pass only the definitions that this schema uses: the library converts all of them again on every call.
    const definitions = namedIn(schema, names)
    const { $schema: _, $defs: __, ...piece } = toJsonSchema(schema, { ...dialect, typeMode, definitions })
    return piece
  }
  return { received: (schema) => write(schema, 'output'), sent: (schema) => write(schema, 'input') }
}

/** The named schemas used in a schema, without those nested inside a named one. */
function namedIn(schema: Schema, names: ReadonlyMap<unknown, string>): Record<string, Schema> {
  const named: Record<string, Schema> = {}
  const visited = new Set<unknown>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || visited.has(value)) return
    visited.add(value)
    const name = names.get(value)
    if (name !== undefined) named[name] = value as Schema
    else for (const [key, part] of Object.entries(value)) if (key !== '~standard') visit(part)
  }
  visit(schema)
  return named
}

function operationOf(route: RouteFacts, write: Writer): Operation {
  const failures = route.fails.map((status) => [
    String(status),
    { description: reasons[status] ?? 'Refused' },
  ])
  return {
    operationId: route.operationId,
    ...(route.extension && { 'x-forgehall-extension': true }),
    summary: route.summary,
    ...(route.deprecated && { deprecated: true }),
    parameters: parametersOf(route, write),
    ...(route.body && { requestBody: requestBodyOf(route.body, route.accepts, write) }),
    responses: Object.fromEntries([
      [String(route.status), successOf(route, write)],
      ...route.also.map((status) => [String(status), { description: 'Done' }]),
      ...failures,
    ]),
  }
}

function parametersOf({ params, query }: RouteFacts, write: Writer): Operation['parameters'] {
  const list = (entries: Readonly<Record<string, Schema>>, location: 'path' | 'query') =>
    Object.entries(entries).map(([name, schema]) => ({
      name,
      in: location,
      required: location === 'path',
      schema: write.received(schema),
    }))
  return [...list(params, 'path'), ...list(query, 'query')]
}

function requestBodyOf(
  body: Schema,
  accepts: readonly string[],
  write: Writer,
): { required: boolean; content: Content } {
  const content = { schema: write.sent(body) }
  const media = ['application/json', ...accepts]
  return { required: true, content: Object.fromEntries(media.map((name) => [name, content])) }
}

function successOf(
  { shape, media = 'application/json' }: RouteFacts,
  write: Writer,
): { description: string; content?: Content } {
  if (!shape) return { description: 'Done' }
  return { description: 'Done', content: { [media]: { schema: write.sent(shape) } } }
}

const reasons: Readonly<Record<number, string>> = {
  307: 'It has another name now',
  400: 'The request cannot be understood',
  401: 'Nobody is signed in',
  403: 'The caller may not do this',
  404: 'Nothing is there',
  409: 'It conflicts with what is there',
  422: 'A value is not acceptable',
  429: 'Too many sign-ins have failed: Retry-After tells when to try again',
}
