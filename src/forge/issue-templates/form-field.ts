import * as v from 'valibot'
import type { IssueFormField } from './issue-template.shape.ts'

/** The fields of a form, with the rules of the original. */

const filled = v.pipe(v.string(), v.regex(/\S/))
const text = v.optional(v.string())
const flag = v.optional(v.boolean())
const visible = v.optional(v.array(v.picklist(['form', 'content'])))

/** Rules for an answer. */
const Validations = v.nullish(v.looseObject({ required: flag, is_number: flag, regex: text }))

const common = {
  id: v.optional(v.union([v.pipe(v.string(), v.regex(/^[\w-]*$/)), v.pipe(v.number(), v.integer())])),
  visible,
}
const described = { label: filled, description: text }

const FormField = v.variant('type', [
  v.looseObject({
    ...common,
    type: v.literal('markdown'),
    attributes: v.looseObject({ value: filled }),
    validations: v.nullish(v.looseObject({})),
  }),
  v.looseObject({
    ...common,
    type: v.literal('textarea'),
    attributes: v.looseObject({ ...described, placeholder: text, value: text, render: text }),
    validations: Validations,
  }),
  v.looseObject({
    ...common,
    type: v.literal('input'),
    attributes: v.looseObject({ ...described, placeholder: text, value: text }),
    validations: Validations,
  }),
  v.looseObject({
    ...common,
    type: v.literal('dropdown'),
    attributes: v.looseObject({
      ...described,
      multiple: flag,
      options: v.pipe(v.array(v.string()), v.minLength(1)),
    }),
    validations: Validations,
  }),
  v.looseObject({
    ...common,
    type: v.literal('checkboxes'),
    attributes: v.looseObject({
      ...described,
      options: v.pipe(v.array(v.looseObject({ label: filled, required: flag, visible })), v.minLength(1)),
    }),
    validations: v.nullish(v.looseObject({})),
  }),
])

const Fields = v.pipe(v.array(FormField), v.minLength(1))

/** The fields of a form; undefined if one of them breaks a rule. The id of a field without one is its place. */
export function readFields(value: unknown): IssueFormField[] | undefined {
  const parsed = v.safeParse(Fields, value)
  if (!parsed.success) return undefined
  const fields = parsed.output.map(({ type, id, attributes, validations, visible: where }, at) => ({
    type,
    id: id === undefined || id === '' ? String(at) : String(id),
    attributes,
    validations: validations ?? null,
    ...(where && where.length > 0 && { visible: where }),
  }))
  const ids = fields.filter(({ type }) => type !== 'markdown').map(({ id }) => id)
  return new Set(ids).size === ids.length ? fields : undefined
}
