import * as v from 'valibot'

export const GitignoreTemplateInfo = v.object({ name: v.string(), source: v.string() })

/** One label of a template; `color` is six lower-case hexadecimal digits. */
export const LabelTemplate = v.object({
  name: v.string(),
  exclusive: v.boolean(),
  color: v.string(),
  description: v.string(),
})

export const LicensesTemplateListEntry = v.object({ key: v.string(), name: v.string(), url: v.string() })

export const LicenseTemplateInfo = v.object({
  key: v.string(),
  name: v.string(),
  url: v.string(),
  implementation: v.string(),
  body: v.string(),
})
