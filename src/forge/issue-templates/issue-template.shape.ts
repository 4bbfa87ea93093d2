import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described } from '../../http/route/values.ts'

const anything = v.record(v.string(), v.unknown())

/** IssueFormField of the original. */
const IssueFormField = shape('IssueFormField', {
  type: v.picklist(['markdown', 'textarea', 'input', 'dropdown', 'checkboxes']),
  id: v.string(),
  attributes: v.nullable(anything),
  validations: v.nullable(anything),
  visible: v.exactOptional(v.array(v.picklist(['form', 'content']))),
})
export type IssueFormField = v.InferOutput<typeof IssueFormField>

/** IssueTemplate of the original. */
export const IssueTemplate = shape('IssueTemplate', {
  name: v.string(),
  title: described(v.string(), 'The beginning of the title of the issue'),
  about: described(v.string(), 'The purpose of the template'),
  labels: described(v.nullable(v.array(v.string())), 'Names of labels of the issue'),
  assignees: described(v.nullable(v.array(v.string())), 'Names of users'),
  ref: described(v.string(), 'The branch or tag that the issue is about; `refs/heads/` alone: none'),
  content: described(v.string(), 'Markdown of a template without fields'),
  body: described(v.nullable(v.array(IssueFormField)), 'The fields of a form; null for other templates'),
  file_name: described(v.string(), 'Path in the repository'),
})
export type IssueTemplate = v.InferOutput<typeof IssueTemplate>

/** IssueConfig of the original. */
export const IssueConfig = shape('IssueConfig', {
  blank_issues_enabled: described(v.boolean(), 'Whether issues may have no template'),
  contact_links: v.array(v.object({ name: v.string(), url: v.string(), about: v.string() })),
})
export type IssueConfig = v.InferOutput<typeof IssueConfig>

/** IssueConfigValidation of the original. */
export const IssueConfigValidation = shape('IssueConfigValidation', {
  valid: v.boolean(),
  message: described(v.string(), 'The fault; empty if the settings are valid'),
})
