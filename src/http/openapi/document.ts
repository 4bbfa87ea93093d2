import type { Mounted } from '../route/api.ts'
import type { Entries, Schema } from '../route/validate.ts'
import {
  type Answers,
  answersOf,
  type Content,
  contentOf,
  type Headers,
  type Responses,
} from './responses.ts'
import { type Piece, type Writer, writerOf } from './schema.ts'

/** What the OpenAPI document of an API is made from. */
export interface Documented {
  title: string
  version: string
  /** Facts about the whole API, in Markdown. */
  description: string
  routes: readonly Mounted[]
  /** Examples of values, by the names of their schemas. */
  examples: Readonly<Record<string, unknown>>
  /** Descriptions of members of bodies and answers, by name, for schemas without one. */
  members: Readonly<Record<string, string>>
  /** Descriptions of parameters, by name, for schemas without one. */
  parameters: Readonly<Record<string, string>>
  /** The body of an error: a named schema. */
  error: Schema
  /** Path prefix that is part of the server's address and not of each path. */
  prefix: string
  /** Address of the API, relative to the address of the document; absent: the root of that host. */
  server?: string
  /** Authentication schemes by name (OpenAPI 3.1, section 4.8.27); any one suffices, and none is required. */
  security?: Readonly<Record<string, SecurityScheme>>
  /** The noun that the operation of a path is about, without the prefix. */
  tagOf: (path: string) => string
  /** The nouns with their descriptions, in the order in which readers show them. */
  tags: Readonly<Record<string, string>>
}

/** How a caller authenticates. */
export type SecurityScheme =
  | { type: 'http'; scheme: 'basic' | 'bearer'; description: string }
  | { type: 'apiKey'; in: 'header' | 'query'; name: string; description: string }

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: Piece
}

export interface Operation {
  operationId: string
  'x-forgehall-extension'?: boolean
  tags: string[]
  summary: string
  deprecated?: boolean
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Responses
}

/** The members of an OpenAPI document that this module reads or writes. */
export type OpenApi = {
  openapi: '3.1.0'
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } }
  servers?: { url: string; description: string }[]
  /** The empty object in it means that a caller need not authenticate. */
  security: Record<string, string[]>[]
  tags: { name: string; description: string }[]
  /** Path → method in lower case → operation. */
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Readonly<Record<string, Piece>>
    responses: Responses
    headers: Headers
    securitySchemes?: Documented['security']
  }
}

/** The OpenAPI 3.1 document of an API, made from its route declarations alone. */
export function openApi(documented: Documented): OpenApi {
  const { title, version, description, routes, server, security, error, prefix } = documented
  const schemas = routes.flatMap(({ route }) => [route.body, route.returns.shape])
  const writer = writerOf([error, ...schemas], documented)
  const answers = answersOf(writer.sent(error))
  const paths: OpenApi['paths'] = {}
  for (const mounted of routes.toSorted(byPath)) {
    const { path, method } = mounted
    // OpenAPI has no notation for the rest of a path, whose slashes clients may escape or not.
    const shown = path.slice(prefix.length).replace('...}', '}')
    const operation = operationOf(mounted, documented.tagOf(shown), {
      writer,
      answers,
      descriptions: documented.parameters,
    })
    paths[shown] = { ...paths[shown], [method.toLowerCase()]: operation }
  }
  return {
    openapi: '3.1.0',
    info: { title, version, description, license: { name: 'MIT', identifier: 'MIT' } },
    ...(server !== undefined && { servers: [{ url: server, description: 'This server' }] }),
    security: security ? [{}, ...Object.keys(security).map((name) => ({ [name]: [] }))] : [],
    tags: Object.entries(documented.tags).map(([name, about]) => ({ name, description: about })),
    paths,
    components: {
      schemas: writer.named(),
      responses: answers.shared(),
      headers: answers.headers(),
      ...(security && { securitySchemes: security }),
    },
  }
}

const byPath = (one: Mounted, other: Mounted) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0)

interface Writing {
  writer: Writer
  answers: Answers
  descriptions: Documented['parameters']
}

function operationOf(
  { operationId, route }: Mounted,
  tag: string,
  { writer, answers, descriptions }: Writing,
): Operation {
  return {
    operationId,
    ...(route.extension && { 'x-forgehall-extension': true }),
    tags: [tag],
    summary: route.summary,
    ...(route.deprecated && { deprecated: true }),
    parameters: [
      ...parametersOf(route.params, 'path', { writer, descriptions }),
      ...parametersOf(route.query, 'query', { writer, descriptions }),
      ...(route.creates ? [idempotencyKey] : []),
    ],
    ...(route.body && {
      requestBody: { required: true, content: sentContent(writer.sent(route.body), route.accepts) },
    }),
    responses: answers.of(route, writer),
  }
}

/** A body that is a text is no JSON, which would have quotes. */
function sentContent({ default: _, ...schema }: Piece, accepts: readonly string[]): Content {
  return contentOf(schema.type === 'string' ? accepts : ['application/json', ...accepts], schema)
}

/** The header that every creating operation accepts. */
const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'For 24 hours, the same request with this key creates nothing and gets the same answer, with Idempotency-Replayed: true. 409 while the first one runs; 422 for another body.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
}

/** OpenAPI puts the description of a parameter next to its schema, not into it. */
function parametersOf(
  entries: Entries,
  location: Parameter['in'],
  { writer, descriptions }: Pick<Writing, 'writer' | 'descriptions'>,
): Parameter[] {
  return Object.entries(entries).map(([name, each]) => {
    const { description = descriptions[name], ...schema } = writer.received(each)
    return {
      name,
      in: location,
      required: location === 'path',
      ...(typeof description === 'string' && { description }),
      schema: withoutEmptyDefault(schema),
    }
  })
}

/** An empty text as default means that the parameter is absent: it is no value that a client would send. */
function withoutEmptyDefault({ default: fallback, ...schema }: Piece): Piece {
  return fallback === undefined || fallback === '' ? schema : { ...schema, default: fallback }
}
