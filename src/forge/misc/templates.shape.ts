import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described } from '../../http/route/values.ts'

export const GitignoreTemplateInfo = shape('GitignoreTemplateInfo', { name: v.string(), source: v.string() })

/** One label of a template; `color` is six lower-case hexadecimal digits. */
export const LabelTemplate = shape('LabelTemplate', {
  name: v.string(),
  exclusive: v.boolean(),
  color: described(v.string(), 'Six lower-case hexadecimal digits, without `#`'),
  description: v.string(),
})

export const LicensesTemplateListEntry = shape('LicensesTemplateListEntry', {
  key: v.string(),
  name: v.string(),
  url: v.string(),
})

export const LicenseTemplateInfo = shape('LicenseTemplateInfo', {
  key: v.string(),
  name: v.string(),
  url: v.string(),
  implementation: described(v.string(), 'How to use the licence'),
  body: described(v.string(), 'Its text'),
})
