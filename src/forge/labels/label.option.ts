import type * as v from 'valibot'
import { unprocessable } from '../../http/route/problem.ts'
import {
  describedField,
  flag,
  labelList,
  option,
  optionalFlag,
  optionalSmallInteger,
  optionalText,
  text,
} from '../protocol/fields.ts'
import { maxSize, notBlank, required } from '../protocol/rules.ts'

/** Gitea's IssueLabelsOption: labels by ids or names. */
export const IssueLabelsOption = option('IssueLabelsOption', { labels: labelList() })

const LABEL_NAME_MAX = 255
const LABEL_DESCRIPTION_MAX = 1024

/** Gitea's CreateLabelOption; the colour has three or six hex digits, with or without `#`. */
export const CreateLabelOption = option('CreateLabelOption', {
  name: text(required, notBlank, maxSize(LABEL_NAME_MAX)),
  color: describedField(text(required), 'Three or six hexadecimal digits, with or without `#`'),
  description: text(maxSize(LABEL_DESCRIPTION_MAX)),
  exclusive: flag(),
  exclusive_order: optionalSmallInteger(),
  is_archived: flag(),
})

/** Gitea's EditLabelOption; absent members keep their value. */
export const EditLabelOption = option('EditLabelOption', {
  name: optionalText(required, notBlank, maxSize(LABEL_NAME_MAX)),
  color: describedField(optionalText(), 'Three or six hexadecimal digits, with or without `#`'),
  description: optionalText(maxSize(LABEL_DESCRIPTION_MAX)),
  exclusive: optionalFlag(),
  exclusive_order: optionalSmallInteger(),
  is_archived: optionalFlag(),
})

/** The columns of a new label. @throws Problem 422 an invalid color */
export const draftOf = (body: v.InferOutput<typeof CreateLabelOption>) => ({
  ...body,
  color: colorOf(body.color),
  exclusive_order: body.exclusive_order ?? 0,
})

/** The columns that an edit changes. @throws Problem 422 an invalid color */
export const editOf = (body: v.InferOutput<typeof EditLabelOption>) => ({
  ...body,
  color: body.color === undefined ? undefined : colorOf(body.color),
})

/** Converts three or six hex digits, with or without `#`, to six in lower case. @throws Problem 422 */
function colorOf(input: string): string {
  const hex = input.trim().replace(/^#/, '').toLowerCase()
  if (/^[0-9a-f]{6}$/.test(hex)) return hex
  if (/^[0-9a-f]{3}$/.test(hex)) return hex.replaceAll(/./g, '$&$&')
  throw unprocessable(`bad color code: ${input}`)
}
