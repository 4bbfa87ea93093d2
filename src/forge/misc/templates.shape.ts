import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'

export const GitignoreTemplateInfo = shape('GitignoreTemplateInfo', { name: v.string(), source: v.string() })

/** One label of a template; `color` is six lower-case hexadecimal digits. */
export const LabelTemplate = shape('LabelTemplate', {
  name: v.string(),
  exclusive: v.boolean(),
  color: v.string(),
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
  implementation: v.string(),
  body: v.string(),
})
