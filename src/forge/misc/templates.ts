import * as v from 'valibot'
import { found } from '../../http/route/problem.ts'
import { json } from '../../http/route/sends.ts'
import { everyone } from '../auth/access.ts'
import { route } from '../route.ts'
import {
  GitignoreTemplateInfo,
  LabelTemplate,
  LicensesTemplateListEntry,
  LicenseTemplateInfo,
} from './templates.shape.ts'

/** A shared read of a collection: open to everyone, and constant while the server runs. */
const reading = { access: everyone(), shared: true, fixed: true } as const

/** Any text: the collection cleans the name, and the answer shows the cleaned form. */
const item = { params: { name: v.string() }, fails: [404] } as const

export const listGitignoresTemplates = route('GET /gitignore/templates', {
  ...reading,
  summary: 'Names of the gitignore templates',
  returns: json(200, v.array(v.string())),
  handler: ({ tools }) => tools.templateCatalog.gitignores,
})

export const getGitignoreTemplateInfo = route('GET /gitignore/templates/{name}', {
  ...reading,
  ...item,
  summary: 'A gitignore template',
  returns: json(200, GitignoreTemplateInfo),
  handler: ({ params, tools }) => found(tools.templateCatalog.gitignore(params.name)),
})

export const listLabelTemplates = route('GET /label/templates', {
  ...reading,
  summary: 'Names of the label templates',
  returns: json(200, v.array(v.string())),
  handler: ({ tools }) => tools.templateCatalog.labelSets,
})

export const getLabelTemplateInfo = route('GET /label/templates/{name}', {
  ...reading,
  ...item,
  summary: 'Labels of a label template',
  returns: json(200, v.array(LabelTemplate)),
  handler: ({ params, tools }) => found(tools.templateCatalog.labels(params.name)),
})

export const listLicenseTemplates = route('GET /licenses', {
  ...reading,
  summary: 'The licences',
  returns: json(200, v.array(LicensesTemplateListEntry)),
  handler: ({ tools }) => tools.templateCatalog.licenses,
})

export const getLicenseTemplateInfo = route('GET /licenses/{name}', {
  ...reading,
  ...item,
  summary: 'A licence with its text',
  returns: json(200, LicenseTemplateInfo),
  handler: ({ params, tools }) => found(tools.templateCatalog.license(params.name)),
})
