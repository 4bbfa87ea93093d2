import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writerOf } from '../../src/http/openapi/schema.ts'
import type { Mounted } from '../../src/http/route/api.ts'
import { startEverything } from '../support/forge/everything.ts'
import { pathsOf, storedIn } from '../support/forge/everything-routes.ts'

/**
 * Every member of a body that takes one of some words, as the routes declare it: a word that is not understood is refused,
 * and changes nothing.
 */

const forge = await startEverything()
const { app, url, pool, ada } = forge
const pathOf = await pathsOf(forge)

/** What a document says of a member. */
interface Piece {
  $ref?: string
  type?: string | readonly string[]
  enum?: readonly string[]
  minLength?: number
  description?: string
  items?: Piece
  properties?: Readonly<Record<string, Piece>>
  required?: readonly string[]
}

interface Field {
  mounted: Mounted
  /** Its name, with those of the members that it is in. */
  path: readonly string[]
  piece: Piece
  /** A body with this value of the field, and something in each member that is required. */
  bodyWith: (value: unknown) => object
}

const changing = app.routes.filter(
  ({ path, method, route }) => path.startsWith('/api/v1/') && method !== 'GET' && route.body,
)
const writer = writerOf(
  changing.map(({ route }) => route.body),
  { examples: {}, members: {} },
)
const named = writer.named()

/** What a piece says, also if it only names a schema. */
const resolved = (piece: Piece): Piece => {
  const name = piece.$ref?.replace('#/components/schemas/', '')
  return name === undefined ? piece : ((named[name] as Piece | undefined) ?? {})
}

const unknown = 'zzz'

/** A value that a member takes. */
function valueFor(member: Piece): unknown {
  const piece = resolved(member)
  if (piece.enum) return piece.enum.find((word) => word !== '')
  if (piece.type === 'array') return []
  if (piece.type === 'object') return objectFor(piece)
  return piece.type === 'integer' || piece.type === 'number' ? 1 : 'abc'
}

const objectFor = ({ properties = {}, required = [] }: Piece): Record<string, unknown> =>
  Object.fromEntries(
    required.map((name) => [name, name === 'email' ? 'abc@example.com' : valueFor(properties[name] ?? {})]),
  )

/** The members of a body and of the objects in it. */
function membersOf(
  schema: Piece,
  path: readonly string[] = [],
): Pick<Field, 'path' | 'piece' | 'bodyWith'>[] {
  const piece = resolved(schema)
  return Object.entries(piece.properties ?? {}).flatMap(([name, member]) => {
    const here = [...path, name]
    const bodyWith = (value: unknown) => ({ ...objectFor(piece), [name]: value })
    const inner = member.items
      ? membersOf(member.items, here).map((each) => ({
          ...each,
          bodyWith: (value: unknown) => bodyWith([each.bodyWith(value)]),
        }))
      : []
    return [{ path: here, piece: member, bodyWith }, ...inner]
  })
}

const fields: Field[] = changing.flatMap((mounted) =>
  membersOf(mounted.route.body ? (writer.received(mounted.route.body) as Piece) : {}).map((each) => ({
    mounted,
    ...each,
  })),
)

const nameOf = ({ mounted, path }: Field) => `${mounted.method} ${mounted.path} ${path.join('.')}`

async function send({ mounted }: Field, body: object) {
  const answered = await fetch(url + pathOf(mounted), {
    method: mounted.method,
    headers: { Authorization: ada.authorization, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answered.status, text: await answered.text() }
}

test('every member of a body that takes one of some words refuses others, and nothing changes', async () => {
  const worded = fields.filter(({ piece }) => piece.enum)
  assert.ok(worded.length > 25, `${worded.length} members were found`)
  const before = await storedIn(pool)
  const faults: string[] = []
  for (const field of worded) {
    const { status, text } = await send(field, field.bodyWith(unknown))
    if (status !== 422 || !/: In"/.test(text)) faults.push(`${nameOf(field)}: ${status} ${text}`)
  }
  assert.deepEqual(faults, [])
  assert.deepEqual(await storedIn(pool), before)
})

/** Members whose words are not in their declaration. */
const others: readonly { line: RegExp; why: string; value?: unknown }[] = [
  { line: /hooks.* type$/, why: 'the kinds of messages' },
  { line: /hooks.* events$/, why: 'the events, and groups of them', value: [unknown] },
  { line: /\/tokens scopes$/, why: 'the scopes', value: [unknown] },
  { line: /\/teams.* units$/, why: 'the units', value: [unknown] },
  { line: /\/teams.* units_map$/, why: 'the units and their permissions', value: { 'repo.code': unknown } },
  { line: /\/admin\/users\/\{username\} type$/, why: 'kinds of accounts' },
  { line: /^POST .*\/reactions content$/, why: 'the reactions' },
  { line: /\/mark(?:up|down) Mode$/, why: 'the ways of rendering' },
]

test('members that take words by another rule refuse others, too, and nothing changes', async () => {
  const before = await storedIn(pool)
  for (const { line, why, value = unknown } of others) {
    const found = fields.filter((field) => line.test(nameOf(field)))
    assert.ok(found.length > 0, `${line} (${why}) finds nothing`)
    for (const field of found) {
      const { status, text } = await send(field, field.bodyWith(value))
      assert.ok(status >= 400 && status < 500, `${nameOf(field)}: ${status} ${text}`)
    }
  }
  assert.deepEqual(await storedIn(pool), before)
})

test('a member whose description lists words has them in its declaration', () => {
  for (const field of fields.filter(({ piece }) => !piece.enum && piece.type === 'string')) {
    const words = field.piece.description?.match(/`[A-Za-z_-]+`(?:, `[A-Za-z_-]+`)* or `[A-Za-z_-]+`/)
    const isKnown = others.some(({ line }) => line.test(nameOf(field)))
    assert.ok(!words || isKnown, `${nameOf(field)} takes any word: declare it with oneOf`)
  }
})
