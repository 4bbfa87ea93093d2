import type { OpenApi, Operation, Parameter, SecurityScheme } from './document.ts'
import type { Headers, Response } from './responses.ts'
import { isPiece, type Piece } from './schema.ts'

/** A Swagger 2.0 document: JSON of unspecified structure. */
type Swagger = Piece & { swagger: '2.0' }

/**
 * The same API in Swagger 2.0, for generators that read nothing newer. It cannot say everything: `null` is lost except
 * as `x-nullable`, a choice of types becomes any type, and there is no bearer scheme.
 * @param basePath the path of the API on its host, without a slash at its end
 */
export function swaggerOf(document: OpenApi, basePath: string): Swagger {
  const { info, tags, paths, components, security } = document
  const { license, ...about } = info
  const schemes = Object.entries(components.securitySchemes ?? {}).flatMap(([name, scheme]) => {
    const written = schemeOf(scheme)
    return written ? [[name, written] as const] : []
  })
  const names = new Set(schemes.map(([name]) => name))
  const answers = mapValues(components.responses, (each) => responseOf(each, components.headers))
  return {
    swagger: '2.0',
    info: { ...about, license: { name: license.name } },
    basePath,
    ...(security && {
      security: security.filter((each) => Object.keys(each).every((name) => names.has(name))),
    }),
    ...(schemes.length > 0 && { securityDefinitions: Object.fromEntries(schemes) }),
    tags,
    paths: mapValues(paths, (methods) => mapValues(methods, (each) => operationOf(each, components.headers))),
    definitions: mapValues(components.schemas, schemaOf),
    responses: answers,
  }
}

function schemeOf(scheme: SecurityScheme): Piece | undefined {
  if (scheme.type === 'apiKey') return { ...scheme }
  return scheme.scheme === 'basic' ? { type: 'basic', description: scheme.description } : undefined
}

function operationOf(operation: Operation, headers: Headers): Piece {
  const { parameters, requestBody, responses, ...rest } = operation
  const media = Object.keys(requestBody?.content ?? {})
  const [content] = Object.values(requestBody?.content ?? {})
  const sent = Object.values(responses).flatMap((each) =>
    'content' in each ? Object.keys(each.content ?? {}) : [],
  )
  return {
    ...rest,
    ...(media.length > 0 && { consumes: media }),
    produces: [...new Set([...sent, 'application/json'])],
    parameters: [
      ...parameters.map(parameterOf),
      ...(content ? [{ name: 'body', in: 'body', required: true, schema: schemaOf(content.schema) }] : []),
    ],
    responses: mapValues(responses, (each) => responseOf(each, headers)),
  }
}

function parameterOf({ schema, ...rest }: Parameter): Piece {
  const { example: _, ...plain } = schemaOf(schema)
  return { ...rest, ...plain, ...(plain.type === 'array' && { collectionFormat: 'multi' }) }
}

function responseOf(response: Response, headers: Headers): Piece {
  if ('$ref' in response) return { $ref: response.$ref.replace('#/components/', '#/') }
  const { description, content, headers: sent = {} } = response
  const [first] = Object.values(content ?? {})
  const names = Object.keys(sent)
  return {
    description,
    ...(first && { schema: schemaOf(first.schema) }),
    ...(names.length > 0 && {
      headers: Object.fromEntries(names.map((name) => [name, headerOf(headers, name)])),
    }),
  }
}

function headerOf(headers: Headers, name: string): Piece {
  const { description = '', schema = {} } = headers[name] ?? {}
  return { description, ...schemaOf(schema) }
}

/** A JSON Schema 2020-12 in the terms of Swagger 2.0. */
function schemaOf(schema: Piece): Piece {
  const { examples, const: value, anyOf, propertyNames: _, type, ...rest } = schema
  if (typeof schema.$ref === 'string') {
    return { $ref: schema.$ref.replace('#/components/schemas/', '#/definitions/') }
  }
  if (Array.isArray(anyOf)) return choiceOf(anyOf)
  const [plain, isNullable] = Array.isArray(type) ? [type[0], type.includes('null')] : [type, false]
  const piece: Piece = {
    ...(plain !== undefined && { type: plain }),
    ...(isNullable && { 'x-nullable': true }),
    ...rest,
    ...('const' in schema && { enum: [value] }),
    ...(Array.isArray(examples) && { example: examples[0] }),
  }
  if (piece.default === null) delete piece.default
  if (isPiece(piece.items)) piece.items = schemaOf(piece.items)
  if (isPiece(piece.additionalProperties)) piece.additionalProperties = schemaOf(piece.additionalProperties)
  if (isPiece(piece.properties)) {
    piece.properties = mapValues(piece.properties, (each) => (isPiece(each) ? schemaOf(each) : each))
  }
  return piece
}

/** A choice between one type and null is that type; any other choice is any type. */
function choiceOf(choices: readonly unknown[]): Piece {
  const others = choices.filter(isPiece).filter((each) => each.type !== 'null')
  const [only] = others
  if (!only || others.length > 1) return {}
  const piece = schemaOf(only)
  return '$ref' in piece ? piece : { ...piece, 'x-nullable': true }
}

function mapValues<Value, To>(
  record: Readonly<Record<string, Value>>,
  to: (value: Value) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, to(value)]))
}
