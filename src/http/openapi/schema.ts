import { toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import { type Schema, schemaName } from '../route/validate.ts'

/** A part of a document: JSON of unspecified structure. */
export type Piece = { [name: string]: unknown }

/** Converts schemas to JSON Schema 2020-12; schemas with a component name become references. */
export interface Writer {
  /** The output type of a schema: a parameter after parsing. */
  received: (schema: Schema) => Piece
  /** The input type of a schema, as sent over the network: bodies and replies. */
  sent: (schema: Schema) => Piece
  /** The schemas that have a name, by it. */
  named: () => Readonly<Record<string, Piece>>
}

/** Metadata of a member of a body that must be present although its schema has a default (`v.metadata`). */
export const REQUIRED = { 'x-required': true } as const

/**
 * Metadata of a member of a reply that a document leaves out (`v.metadata`): it repeats another member under a name
 * that differs in case or underscores alone, which many generators turn into the same name.
 */
export const UNLISTED = { 'x-unlisted': true } as const

const overrideRef = ({ referenceId }: { referenceId: string }) => `#/components/schemas/${referenceId}`
const dialect = { target: 'draft-2020-12', errorMode: 'ignore', overrideRef } as const

/** What a document adds to schemas: examples by their names, and descriptions by the names of members. */
interface Additions {
  examples: Readonly<Record<string, unknown>>
  members: Readonly<Record<string, string>>
}

/** `roots`: the schemas that a document is about, with all that are used in them. */
export function writerOf(roots: readonly (Schema | undefined)[], { examples, members }: Additions): Writer {
  const write = (schema: Schema, typeMode: 'input' | 'output'): Piece => {
    // Pass only the definitions that this schema uses: the library converts all of them again on every call.
    const definitions = namedIn(schema, 'outermost')
    const { $schema: _, $defs: __, ...piece } = toJsonSchema(schema, { ...dialect, typeMode, definitions })
    return tidied(piece, members)
  }
  return {
    received: (schema) => write(schema, 'output'),
    sent: (schema) => write(schema, 'input'),
    named: () => {
      const all = toJsonSchemaDefs(namedIn(roots, 'all'), { ...dialect, typeMode: 'input' })
      return Object.fromEntries(
        Object.keys(all)
          .sort()
          .map((name) => [
            name,
            { ...tidied(all[name] ?? {}, members), ...(name in examples && { examples: [examples[name]] }) },
          ]),
      )
    },
  }
}

/** The named schemas used in a schema: all, or without those nested inside a named one. */
function namedIn(root: unknown, depth: 'all' | 'outermost'): Record<string, Schema> {
  const named: Record<string, Schema> = {}
  const visited = new Set<unknown>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || visited.has(value)) return
    visited.add(value)
    const name = schemaName(value)
    if (name !== undefined) named[name] = value as Schema
    if (name !== undefined && depth === 'outermost') return
    for (const [key, part] of Object.entries(value)) if (key !== '~standard') visit(part)
  }
  visit(root)
  return named
}

/** The same JSON Schema in the form that generators of clients read best. */
function tidied(schema: object, descriptions: Additions['members']): Piece {
  const piece: Piece = {}
  for (const [name, value] of Object.entries(schema)) piece[name] = tidiedPart(name, value, descriptions)
  return typed(withRequired(bounded(nullable(emptied(piece)))))
}

function tidiedPart(name: string, value: unknown, descriptions: Additions['members']): unknown {
  if (name === 'properties' && isPiece(value)) return membersOf(value, descriptions)
  if (name === 'enum' || name === 'examples' || name === 'default' || name === 'const') return value
  if (Array.isArray(value)) return value.map((each) => (isPiece(each) ? tidied(each, descriptions) : each))
  return isPiece(value) ? tidied(value, descriptions) : value
}

function membersOf(value: Piece, descriptions: Additions['members']): Piece {
  const members = Object.entries(value).map(([name, each]) => {
    if (!isPiece(each)) return [name, each]
    const description = descriptions[name]
    return [name, { ...(description !== undefined && { description }), ...tidied(each, descriptions) }]
  })
  return Object.fromEntries(members)
}

/**
 * Requires members that are marked as required, and leaves out those that are marked as unlisted. Leaves out defaults of
 * members: generators assume that a member with a default is always present.
 */
function withRequired(piece: Piece): Piece {
  const { properties: members, required: names, ...rest } = piece
  if (!isPiece(members)) return piece
  const properties: Piece = {}
  const required = new Set(Array.isArray(names) ? names : [])
  for (const [name, each] of Object.entries(members)) {
    const {
      'x-required': isRequired,
      'x-unlisted': isUnlisted,
      default: _,
      ...member
    } = isPiece(each) ? each : {}
    if (isRequired === true) required.add(name)
    if (isUnlisted === true) required.delete(name)
    else properties[name] = member
  }
  return { ...rest, properties, ...(required.size > 0 && { required: [...required] }) }
}

/** Replaces the bounds of exact integers by a format, which readers and generators understand. */
function bounded(piece: Piece): Piece {
  if (piece.type !== 'integer') return piece
  const { minimum, maximum, ...rest } = piece
  return {
    ...rest,
    format: 'int64',
    ...(minimum !== Number.MIN_SAFE_INTEGER && minimum !== undefined && { minimum }),
    ...(maximum !== Number.MAX_SAFE_INTEGER && maximum !== undefined && { maximum }),
  }
}

/** Describes a list that is always empty by its length: readers do not expect an empty tuple. */
function emptied(piece: Piece): Piece {
  const { prefixItems, items: _, minItems: __, ...rest } = piece
  return Array.isArray(prefixItems) && prefixItems.length === 0 ? { ...rest, items: {}, maxItems: 0 } : piece
}

/** Generators need a type in addition to an enumeration or a constant. */
function typed(piece: Piece): Piece {
  if ('type' in piece) return piece
  const values = 'const' in piece ? [piece.const] : Array.isArray(piece.enum) ? piece.enum : []
  const types = new Set(values.map((value) => typeof value))
  const [type] = types
  return type !== undefined && types.size === 1 ? { type, ...piece } : piece
}

/** `anyOf` of a plain type and null is the type with null. */
function nullable(piece: Piece): Piece {
  const { anyOf, ...rest } = piece
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return piece
  const [of, nothing] = anyOf as Piece[]
  if (nothing?.type !== 'null' || typeof of?.type !== 'string' || 'enum' in of) return piece
  return { ...of, ...rest, type: [of.type, 'null'] }
}

export function isPiece(value: unknown): value is Piece {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
