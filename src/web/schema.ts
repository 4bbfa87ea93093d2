import { type Html, html, type Piece } from './html.ts'

/** A JSON schema as in OpenAPI. */
type Schema = Readonly<Record<string, unknown>>

/** A schema in readable form: `User[]`, `{ name: string, size?: integer }`. Named ones are links. */
export function printSchema(value: unknown): Html {
  const schema = isRecord(value) ? value : {}
  const nothing = schema.nullable === true ? html` or null` : html``
  return html`${bare(schema)}${nothing}`
}

/** The members of an object: name, type, whether it may be missing. */
export function membersOf(value: unknown): { name: string; kind: Html; optional: boolean }[] {
  if (!isRecord(value) || !isRecord(value.properties)) return []
  const required: readonly unknown[] = Array.isArray(value.required) ? value.required : []
  return Object.entries(value.properties).map(([name, kind]) => ({
    name,
    kind: printSchema(kind),
    optional: !required.includes(name),
  }))
}

/** The anchor of a schema's section on the page. */
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
  return pieces.map((piece, index) => (index === 0 ? piece : [between, piece]))
}

function isRecord(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
