import * as v from 'valibot'
import { json } from '../../http/route/sends.ts'
import { codeSeen } from '../repos/access.ts'
import { openCode } from '../repos/code.ts'
import { route } from '../route.ts'
import { defaultConfig } from './config-file.ts'
import { IssueConfig, IssueConfigValidation, IssueTemplate } from './issue-template.shape.ts'
import { configOf, templatesOf } from './template-files.ts'

/** Templates and settings of a repository for new issues. */

const reading = { access: codeSeen(), fails: [404, 503], shared: 'until written' } as const

export const repoGetIssueTemplates = route('GET /repos/{owner}/{repo}/issue_templates', {
  ...reading,
  summary: 'Templates for issues on the default branch; those that break a rule are left out',
  returns: json(200, v.array(IssueTemplate)),
  handler: async (context) => templatesOf(await openCode(context)),
})

export const repoGetIssueConfig = route('GET /repos/{owner}/{repo}/issue_config', {
  ...reading,
  summary: 'Settings for new issues on the default branch; an invalid file counts as absent',
  returns: json(200, IssueConfig),
  handler: async (context) => {
    const config = await configOf(await openCode(context))
    return config.ok ? config.value : defaultConfig
  },
})

export const repoValidateIssueConfig = route('GET /repos/{owner}/{repo}/issue_config/validate', {
  ...reading,
  summary: 'Whether the settings for new issues are valid',
  returns: json(200, IssueConfigValidation),
  handler: async (context) => {
    const config = await configOf(await openCode(context))
    return config.ok ? { valid: true, message: '' } : { valid: false, message: config.fault }
  },
})
