import * as v from 'valibot'
import { found } from '../../http/route/problem.ts'
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

const listGitignores = route('GET /gitignore/templates', {
  operationId: 'listGitignoresTemplates',
  ...reading,
  summary: 'Names of the gitignore templates',
  returns: [200, v.array(v.string())],
  handler: ({ tools }) => tools.templateCatalog.gitignores,
})

const getGitignore = route('GET /gitignore/templates/{name}', {
  operationId: 'getGitignoreTemplateInfo',
  ...reading,
  ...item,
  summary: 'A gitignore template',
  returns: [200, GitignoreTemplateInfo],
  handler: ({ params, tools }) => found(tools.templateCatalog.gitignore(params.name)),
})

const listLabels = route('GET /label/templates', {
  operationId: 'listLabelTemplates',
  ...reading,
  summary: 'Names of the sets of labels',
  returns: [200, v.array(v.string())],
  handler: ({ tools }) => tools.templateCatalog.labelSets,
})

const getLabels = route('GET /label/templates/{name}', {
  operationId: 'getLabelTemplateInfo',
  ...reading,
  ...item,
  summary: 'All labels of a set',
  returns: [200, v.array(LabelTemplate)],
  handler: ({ params, tools }) => found(tools.templateCatalog.labels(params.name)),
})

const listLicenses = route('GET /licenses', {
  operationId: 'listLicenseTemplates',
  ...reading,
  summary: 'The licences',
  returns: [200, v.array(LicensesTemplateListEntry)],
  handler: ({ tools }) => tools.templateCatalog.licenses,
})

const getLicense = route('GET /licenses/{name}', {
  operationId: 'getLicenseTemplateInfo',
  ...reading,
  ...item,
  summary: 'A licence with its text',
  returns: [200, LicenseTemplateInfo],
  handler: ({ params, tools }) => found(tools.templateCatalog.license(params.name)),
})

export const templateRoutes = [listGitignores, getGitignore, listLabels, getLabels, listLicenses, getLicense]
