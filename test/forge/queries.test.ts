import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as v from 'valibot'
import { writerOf } from '../../src/http/openapi/schema.ts'
import type { Mounted } from '../../src/http/route/api.ts'
import type { Schema } from '../../src/http/route/validate.ts'
import { startEverything } from '../support/forge/everything.ts'
import { pathsOf, storedIn } from '../support/forge/everything-routes.ts'

/**
 * Every query parameter of the API that takes words, ids or numbers, as the routes declare it: absent, empty, known, and
 * not understood. What is not understood selects nothing or is refused, and changes nothing.
 */

const forge = await startEverything()
const { app, url, pool, ada } = forge
const pathOf = await pathsOf(forge)

interface Parameter {
  mounted: Mounted
  name: string
  words: readonly string[]
  refuses: boolean
}

const writer = writerOf([], { examples: {}, members: {} })
const unknown = 'no such word'

/** The words that a document lists for a parameter. */
function wordsOf(schema: Schema): string[] {
  const { enum: words, items } = writer.received(schema) as { enum?: string[]; items?: { enum?: string[] } }
  return words ?? items?.enum ?? []
}

const parameters: Parameter[] = app.routes
  .filter(({ path }) => path.startsWith('/api/v1/'))
  .flatMap((mounted) =>
    Object.entries(mounted.route.query).map(([name, schema]) => ({
      mounted,
      name,
      words: wordsOf(schema),
      refuses: !v.safeParse(schema, unknown).success,
    })),
  )

async function ask({ mounted, name }: Parameter, value?: string) {
  const address = new URL(url + pathOf(mounted))
  if (value !== undefined) address.searchParams.set(name, value)
  const { method } = mounted
  const answered = await fetch(address, {
    method,
    headers: { Authorization: ada.authorization, 'Content-Type': 'application/json' },
    ...(method !== 'GET' && { body: '{}' }),
  })
  return { status: answered.status, body: await answered.text() }
}

const nameOf = ({ mounted, name }: Parameter) => `${mounted.method} ${mounted.path} ?${name}`

/** Parameters with words that the declaration does not refuse. */
const tolerant: readonly { line: RegExp; status: number; why: string }[] = [
  {
    line: /\/actions\/.*(?:runs|jobs) \?status$/,
    status: 400,
    why: 'the specification lists 400, where other words are 422',
  },
  {
    line: /\/packages(?:\/\{owner\})? \?type$/,
    status: 200,
    why: 'registries of other servers have more types: an unknown one selects nothing',
  },
]

test('every parameter that takes words, ids or numbers refuses others with 422, and nothing changes', async () => {
  const refusing = parameters.filter(({ refuses }) => refuses)
  assert.ok(refusing.length > 40, `${refusing.length} parameters were found`)
  const before = await storedIn(pool)
  for (const parameter of refusing) {
    const { status, body } = await ask(parameter, unknown)
    assert.equal(status, 422, `${nameOf(parameter)}: ${body}`)
    assert.match(JSON.parse(body).message, new RegExp(`^${parameter.name}[:.] must be`), nameOf(parameter))
  }
  assert.deepEqual(await storedIn(pool), before)
})

test('a parameter with words refuses others, or selects nothing by them', async () => {
  for (const parameter of parameters.filter(({ words, refuses }) => words.length > 0 && !refuses)) {
    const expected = tolerant.find(({ line }) => line.test(nameOf(parameter)))
    assert.ok(expected, `${nameOf(parameter)} takes any word: declare it with queryWord`)
    const { status, body } = await ask(parameter, unknown)
    assert.equal(status, expected.status, nameOf(parameter))
    if (status === 200) assert.deepEqual(JSON.parse(body), [], nameOf(parameter))
  }
  for (const { line } of tolerant)
    assert.ok(
      parameters.some((each) => !each.refuses && line.test(nameOf(each))),
      `${line} excuses nothing`,
    )
})

test('GET with an empty parameter answers as without it, and with each known word does what it says', async () => {
  for (const parameter of parameters.filter(({ mounted }) => mounted.method === 'GET')) {
    const { words, refuses } = parameter
    if (words.length === 0 && !refuses) continue
    const absent = await ask(parameter)
    assert.deepEqual(await ask(parameter, ''), absent, nameOf(parameter))
    for (const word of words) {
      const { status } = await ask(parameter, word)
      assert.ok(status === absent.status, `${nameOf(parameter)}=${word} ${status}, ${absent.status} without`)
    }
  }
})
