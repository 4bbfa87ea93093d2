import { type Html, html, type Piece } from './html.ts'

/** A JSON schema as OpenAPI has it. */
type Schema = Readonly<Record<string, unknown>>

/** A schema in words that people read: `User[]`, `{ name: string, size?: integer }`. Named ones are links. */
export function printSchema(given: unknown): Html {
  const schema = isRecord(given) ? given : {}
  const nothing = schema.nullable === true ? html` or null` : html``
  return html`${bare(schema)}${nothing}`
}

/** The members of an object, one in a line: name, kind, whether it may be missing. */
export function membersOf(given: unknown): { name: string; kind: Html; optional: boolean }[] {
  if (!isRecord(given) || !isRecord(given.properties)) return []
  const required: readonly unknown[] = Array.isArray(given.required) ? given.required : []
  return Object.entries(given.properties).map(([name, kind]) => ({
    name,
    kind: printSchema(kind),
    optional: !required.includes(name),
  }))
}

/** The name that an address of a schema holds, and where its section is. */
export const anchorOf = (name: string) => `schema-${name}`

function bare(schema: Schema): Html {
  if (typeof schema.$ref === 'string') return linkTo(schema.$ref.split('/').at(-1) ?? '')
  if (Array.isArray(schema.enum))
    return html`${joined(
      schema.enum.map((each) => JSON.stringify(each)),
      ' | ',
    )}`
  const choice = schema.anyOf ?? schema.oneOf
  if (Array.isArray(choice)) return html`${joined(choice.map(printSchema), ' | ')}`
  if (schema.type === 'array') return html`${printSchema(schema.items)}[]`
  if (isRecord(schema.properties)) return inline(schema)
  if (schema.type === 'object') return html`object`
  return html`${typeof schema.type === 'string' ? schema.type : 'anything'}`
}

function linkTo(name: string): Html {
  return html`<a href="#${anchorOf(name)}">${name}</a>`
}

function inline(schema: Schema): Html {
  const members = membersOf(schema).map(
    ({ name, kind, optional }) => html`${name}${optional ? '?' : ''}: ${kind}`,
  )
  return html`{ ${joined(members, ', ')} }`
}

function joined(pieces: readonly Piece[], between: string): Piece {
  return pieces.map((piece, at) => (at === 0 ? piece : [between, piece]))
}

export function isRecord(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
