import { choice, type Fields, field, tick } from '../form.ts'
import { type Html, html } from '../html.ts'
import { fieldsOf } from './fields.ts'
import type { Refusal } from './refusal.ts'

// Forms whose fields are a table: one description is the field, and what is read of it.

/** A field of a form. */
export interface FieldDescription {
  /** As the API names it. */
  name: string
  label: string
  hint?: string
  /** Absent: a line of text. `words`: several, with spaces or line breaks between them. */
  kind?: 'long' | 'words' | 'tick' | 'number' | 'date' | 'url' | 'password' | 'color'
  isOptional?: boolean
  /** What was written is not shown again, not even beside its fault. */
  isSecret?: boolean
  /** The values to choose from, each with its text. */
  options?: Readonly<Record<string, string>> | readonly (readonly [value: string, text: string])[]
}

/** Fields with a legend; absent: they have none. */
export interface FieldGroup {
  legend?: string
  fields: readonly FieldDescription[]
}

interface Written {
  values: Fields
  refusal?: Refusal | undefined
  /** The field that has the focus where nothing was refused. */
  first?: string
  /** Begins the ids of the fields where another form of the page has fields of these names. */
  prefix?: string
}

/** The fields of a form, with what was written into them. */
export function describedFields(fields: readonly FieldDescription[], written: Written): Html {
  const { values, refusal, first, prefix = '' } = written
  const fieldOf = fieldsOf(values, refusal, first)
  return html`${fields.map((description) => {
    const { name, label, hint, kind, isOptional, isSecret, options } = description
    const { fault, value = '', ...named } = fieldOf(name)
    const common = { name, id: prefix + name, label, ...(hint !== undefined && { hint }) }
    if (options) return choice({ ...common, fault, value, options })
    if (kind === 'tick') return tick({ ...common, fault, isOn: value === 'on' })
    const isLong = kind === 'long' || kind === 'words'
    const type = isLong || kind === undefined ? 'text' : kind
    return field({
      ...named,
      ...common,
      value: isSecret ? '' : value,
      fault,
      type,
      isLong,
      ...(kind === 'words' && { rows: 2 }),
      ...(kind === 'password' && { autocomplete: 'new-password' }),
      isOptional: isOptional ?? false,
    })
  })}`
}

/** Groups of fields, each in a box with its legend. */
export const describedGroups = (groups: readonly FieldGroup[], written: Written): Html =>
  html`${groups.map(({ legend, fields }) => {
    const content = describedFields(fields, written)
    return legend === undefined
      ? content
      : html`<fieldset class="field-group"><legend>${legend}</legend>
${content}</fieldset>`
  })}`

/** The values of the fields as the API takes them; a number or a date that is empty is absent. */
export function valuesIn(
  fields: readonly FieldDescription[],
  sent: Fields,
): Record<string, string | number | boolean | string[]> {
  const entries = fields.flatMap(({ name, kind }) => {
    const value = valueRead(kind, sent[name] ?? '')
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(entries)
}

function valueRead(kind: FieldDescription['kind'], text: string) {
  if (kind === 'tick') return text === 'on'
  if (kind === 'words') return text.split(/[\s,]+/).filter((word) => word !== '')
  if (kind === 'number') return text === '' ? undefined : Number(text)
  // Browsers end lines of a form with CR LF.
  return kind === 'long' ? text.replaceAll('\r\n', '\n') : text
}

/** What is stored, as the fields of a form have it. */
export function fieldsFrom(fields: readonly FieldDescription[], stored: object): Fields {
  const members: Readonly<Record<string, unknown>> = { ...stored }
  const entries = fields.flatMap(({ name }) => {
    const value = members[name]
    if (value === true) return [[name, 'on'] as const]
    if (Array.isArray(value)) return [[name, value.join(' ')] as const]
    return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : []
  })
  return Object.fromEntries(entries)
}
