import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { OpenApi, Operation } from '../../src/http/openapi/document.ts'
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
