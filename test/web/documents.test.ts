import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { OpenApi, Operation } from '../../src/http/openapi/document.ts'
import type { Response } from '../../src/http/openapi/responses.ts'
import { startApp } from '../support/app.ts'

const { call } = await startApp()

const forge = 'GET /openapi3.v1.json'
const forgeFormerly = 'GET /swagger.v1.json'
const site = 'GET /api/openapi.json'

const documentOf = async (literal: string): Promise<OpenApi> => (await call(literal)).body

/** Operations by `METHOD /path`. */
function operationsOf({ paths }: Pick<OpenApi, 'paths'>): Map<string, Operation> {
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
    ),
  )
}

/** What a foreign validator has against a document. */
async function faultsOf(document: OpenApi): Promise<unknown> {
  const result = await new Validator().validate(structuredClone(document))
  return result.valid ? [] : result.errors
}

/** Names of members of one object that generators turn into one name of a program: `id` and `ID`. */
function alike(names: readonly string[]): string[] {
  const plain = names.map((name) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))
  return names.filter((_, at) => plain.indexOf(plain[at] ?? '') !== plain.lastIndexOf(plain[at] ?? ''))
}

for (const [literal, version] of [
  [forge, '3.1'],
  [forgeFormerly, '2.0'],
  [site, '3.1'],
] as const) {
  test(`${literal} is accepted by a foreign validator`, async () => {
    const document = await documentOf(literal)
    const validator = new Validator()
    await validator.validate(structuredClone(document))
    assert.equal(validator.version, version)
    assert.deepEqual(await faultsOf(document), [])
  })
}

test(`${forge} has no object with two members that generators give one name`, async () => {
  const { schemas } = (await documentOf(forge)).components
  const found = Object.entries(schemas).flatMap(([name, { properties }]) =>
    alike(Object.keys(properties ?? {})).map((member) => `${name}.${member}`),
  )
  assert.deepEqual(found, [])
  assert.deepEqual(alike(['id', 'image_url', 'imageURL']), ['image_url', 'imageURL'])
})

test(`${forge} says of each member of a schema what it is`, async () => {
  const { schemas } = (await documentOf(forge)).components
  const words = ['type', '$ref', 'anyOf', 'enum']
  const members = Object.entries(schemas).flatMap(([name, { properties }]) =>
    Object.entries(properties ?? {}).map(
      ([member, schema]) => [`${name}.${member}`, Object(schema)] as const,
    ),
  )
  const bare = members.filter(([, schema]) => !words.some((word) => word in schema)).map(([name]) => name)
  assert.deepEqual(bare, [])
  assert.ok(members.length > 500)
})

test('the validator finds what is wrong', async () => {
  const document = structuredClone(await documentOf(forge))
  Object.assign(document.paths['/version']?.get ?? {}, { responses: { 200: {} } })
  assert.notDeepEqual(await faultsOf(document), [])
})

test(`${forgeFormerly} says the same as ${forge}: operations, parameters, statuses`, async () => {
  const [newer, older] = [
    operationsOf(await documentOf(forge)),
    operationsOf(await documentOf(forgeFormerly)),
  ]
  assert.deepEqual([...older.keys()], [...newer.keys()])
  const factsOf = ({ operationId, tags, parameters, responses }: Operation) => ({
    operationId,
    tags,
    parameters: parameters
      .filter((each) => String(each.in) !== 'body')
      .map(({ name, in: where }) => [name, where]),
    statuses: Object.keys(responses),
  })
  for (const [name, operation] of newer) {
    assert.deepEqual(factsOf(older.get(name) ?? operation), factsOf(operation), name)
  }
})

for (const literal of [forge, site]) {
  test(`${literal} says how each creating operation refuses an Idempotency-Key`, async () => {
    const creating = [...operationsOf(await documentOf(literal))].filter(([, { parameters }]) =>
      parameters.some(({ name }) => name === 'Idempotency-Key'),
    )
    assert.ok(creating.length > 0)
    for (const [name, { responses }] of creating)
      for (const status of ['400', '409', '422']) assert.ok(status in responses, `${status} of ${name}`)
  })
}

/** Each schema in a document that has a default or an example, with what they are and where it stands. */
function* samplesIn(
  value: unknown,
  place = '',
): Generator<[place: string, schema: object, samples: unknown[]]> {
  if (typeof value !== 'object' || value === null) return
  const { default: fallback, examples, example } = value as Record<string, unknown>
  const samples = [fallback, example, ...(Array.isArray(examples) ? examples : [])]
  const given = samples.filter((each) => each !== undefined)
  // A parameter of Swagger 2.0 is a schema with more members, whose `required` has another meaning.
  const { required, ...schema } = value as Record<string, unknown>
  const isParameter = typeof required === 'boolean'
  if (given.length > 0 && 'type' in value) yield [place, isParameter ? schema : value, given]
  for (const [name, each] of Object.entries(value)) yield* samplesIn(each, `${place}/${name}`)
}

for (const [literal, least] of [
  [forge, 90],
  [forgeFormerly, 90],
  [site, 9],
] as const) {
  test(`${literal} has defaults and examples that a foreign validator takes for what their schemas describe`, async () => {
    const document = await documentOf(literal)
    const { components, definitions } = document as OpenApi & { definitions?: object }
    const ajv = new Ajv2020({ strict: false })
    formats.default(ajv)
    const faults: string[] = []
    let count = 0
    for (const [place, schema, samples] of samplesIn(document)) {
      const validate = ajv.compile({ ...schema, components, ...(definitions && { definitions }) })
      for (const sample of samples) {
        count += 1
        if (!validate(sample))
          faults.push(`${place}: ${JSON.stringify(sample)} ${ajv.errorsText(validate.errors)}`)
      }
    }
    assert.deepEqual(faults, [])
    assert.ok(count >= least, `only ${count}`)
  })
}

test(`${forge} and ${site} say what each parameter means, and show a body for each operation that takes one`, async () => {
  for (const document of [await documentOf(forge), await documentOf(site)]) {
    const { schemas } = document.components
    const silent = [...operationsOf(document)].flatMap(([name, { parameters, requestBody }]) => {
      const [content] = Object.values(requestBody?.content ?? {})
      const shape = schemas[String(content?.schema.$ref).split('/').at(-1) ?? '']
      const hasNoExample = content && content.schema.type !== 'string' && !shape?.examples
      const unsaid = parameters.filter(({ description = '' }) => description === '')
      return [...unsaid.map((each) => `${name} ${each.name}`), ...(hasNoExample ? [`${name} body`] : [])]
    })
    assert.deepEqual(silent, [])
  }
})

/** Members of bodies whose names and rules say all that there is to say. */
const plain =
  /^(full_name|location|name|title|email|username|new_username|new_name|value|content|media_type|state|slug|active|disabled|body)$/

test(`${forge} and ${site} say what each member of a body means, unless its name does`, async () => {
  for (const document of [await documentOf(forge), await documentOf(site)]) {
    const { schemas } = document.components
    const silent = [...operationsOf(document)].flatMap(([operation, { requestBody }]) => {
      const [content] = Object.values(requestBody?.content ?? {})
      const shape = schemas[String(content?.schema.$ref).split('/').at(-1) ?? '']
      const members = Object.entries((shape?.properties ?? {}) as Record<string, { description?: string }>)
      return members.flatMap(([name, { description = '' }]) =>
        description === '' && !plain.test(name) ? [`${operation} ${name}`] : [],
      )
    })
    assert.deepEqual(silent, [])
  }
})

test(`${forge} says beside a reference what it means, and ${forgeFormerly} what such a schema allows`, async () => {
  const { schemas } = (await documentOf(forge)).components
  const { definitions } = (await documentOf(forgeFormerly)) as unknown as { definitions: typeof schemas }
  const memberOf = (of: typeof schemas, shape: string, name: string) =>
    (of[shape]?.properties as Record<string, unknown> | undefined)?.[name]
  const actor = { $ref: '#/components/schemas/User', description: 'Who caused the first attempt' }
  assert.deepEqual(memberOf(schemas, 'WorkflowRun', 'actor'), actor)
  assert.deepEqual(memberOf(definitions, 'WorkflowRun', 'actor'), { $ref: '#/definitions/User' })
})

test(`${forge} and ${site} name the headers of answers, and no answer that none gives`, async () => {
  const { paths, components } = await documentOf(forge)
  const headersIn = (response: Response | undefined) =>
    response && 'headers' in response ? Object.keys(response.headers ?? {}) : []
  assert.deepEqual(headersIn(paths['/repos/search']?.get?.responses[200]), ['X-Total-Count', 'Link', 'ETag'])
  assert.deepEqual(headersIn(paths['/topics/search']?.get?.responses[200]), ['X-Total-Count', 'Link', 'ETag'])
  assert.deepEqual(headersIn(paths['/user/repos']?.post?.responses[201]), ['Idempotency-Replayed'])
  assert.deepEqual(headersIn(components.responses.redirect), ['Location'])
  assert.deepEqual(headersIn(components.responses.tooManyRequests), ['Retry-After'])
  for (const document of [await documentOf(forge), await documentOf(site)]) {
    for (const kind of ['responses', 'headers'] as const) {
      const used = new Set(JSON.stringify(document).match(new RegExp(`#/components/${kind}/[\\w-]+`, 'g')))
      const given = Object.keys(document.components[kind]).map((name) => `#/components/${kind}/${name}`)
      assert.deepEqual(given.toSorted(), [...used].toSorted())
    }
  }
})

test(`${forge} takes a body that is a text as text alone`, async () => {
  const { paths } = await documentOf(forge)
  assert.deepEqual(Object.keys(paths['/markdown/raw']?.post?.requestBody?.content ?? {}), ['text/plain'])
})

test(`${forge} says that what cannot be rendered is refused in a line of text, or as JSON`, async () => {
  const { paths, components } = await documentOf(forge)
  for (const path of ['/markdown', '/markdown/raw', '/markup']) {
    const answer = paths[path]?.post?.responses['422']
    assert.deepEqual(answer, { $ref: '#/components/responses/renderError' }, path)
  }
  const { content } = Object({ content: {}, ...components.responses.renderError })
  assert.deepEqual(Object.keys(content), ['application/json', 'text/plain'])
})
