import * as v from 'valibot'
import type { ArrivedFile } from '../../forge/attachments/upload.ts'
import { IssueConfig, IssueTemplate } from '../../forge/issue-templates/issue-template.shape.ts'
import { repoGetIssueConfig, repoGetIssueTemplates } from '../../forge/issue-templates/issue-templates.ts'
import { Issue } from '../../forge/issues/issue.shape.ts'
import { issueCreateIssue } from '../../forge/issues/issues.ts'
import { queryText } from '../../forge/protocol/query.ts'
import type { SignedInOnRepository } from '../../forge/repos/access.ts'
import { issueCreator } from '../../forge/repos/issue-access.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { textAs } from '../../http/route/sends.ts'
import { type Fields, field, hiddenFields } from '../form.ts'
import { type Html, html, webAddress, withQuery } from '../html.ts'
import { card } from '../layout.ts'
import { fieldsOf, noticeOf } from '../operations/fields.ts'
import { type Asked, replyToForm } from '../operations/form.ts'
import { newFormId } from '../operations/once.ts'
import { forPages, type OnRequest, read } from '../operations/perform.ts'
import { outcomeOf, type Refusal } from '../operations/refusal.ts'
import { fileForm, formIn, isShownFirst } from '../operations/sent-form.ts'
import { htmlType } from '../profile.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { route } from '../route.ts'
import { orSignIn } from '../session/session.ts'
import { bySender } from '../sign-in/sender.ts'
import { textField } from './comment-form.ts'
import { type IssueContext, previewOf } from './issue-context.ts'
import { issueParts } from './issue-parts.ts'
import { planFields, planIn } from './plan-fields.ts'
import { rightsOn } from './rights.ts'
import { textOfTemplate } from './template-text.ts'
import { filesField, filesOfNewIssue, textFileLimits, textWith } from './text-files.ts'

const form = fileForm(issueCreator(), textFileLimits)

export const getNewIssuePage = route('GET /{owner}/{repo}/issues/new', {
  access: orSignIn(forPages(issueCreator())),
  summary: 'The form that opens an issue, empty or from a template of the repository',
  query: { template: queryText, title: queryText, body: queryText },
  fails: [404],
  returns: textAs(200, htmlType),
  handler: async ({ query, ...context }) => {
    const { templates, config } = await templatesOf(context.caller)
    const template = templates.find(({ file_name }) => file_name === query.template)
    const values = template ? await valuesOf(context, template) : { title: query.title, body: query.body }
    return newIssuePage(context, { values, above: offered(context, templates, config) })
  },
})

export const createIssueByPage = route('POST /{owner}/{repo}/issues/new', {
  ...form,
  summary: 'Open an issue, or show its text before it is sent',
  also: [200, ...form.also],
  handler: ({ caller: sender, body, ...context }) => {
    const { fields, files, refusal: refused } = formIn(body)
    if (isShownFirst(fields))
      return bySender(sender, fields, async (caller) => {
        const page = await newIssuePage({ ...context, caller }, { values: fields, isPreview: true })
        return new ReplyWith(page, { status: 200 })
      })
    return replyToForm(sender, fields, {
      ask: (caller) => refused ?? askedOf(caller, fields, files),
      again: (caller, refusal) => newIssuePage({ ...context, caller }, { values: fields, refusal }),
    })
  },
})

type Context = IssueContext & { caller: SignedInOnRepository & OnRequest }

/** The opening of an issue. Only those who may write to the issues are asked for more than a text. */
function askedOf(
  caller: SignedInOnRepository & OnRequest,
  fields: Fields,
  files: readonly ArrivedFile[],
): Asked {
  const { title = '', body = '' } = fields
  const { owner, name } = caller.repo
  const params = { owner: owner.name, repo: name }
  return {
    calls: [[issueCreateIssue, { params, body: { title, body: textWith(body, files), ...planIn(fields) } }]],
    isAtomic: true,
    files: filesOfNewIssue(caller, files),
    leadsTo: ([issue]) => `${owner.name}/${name}/issues/${v.parse(Issue, issue).number}`,
    blame: { title: /\btitle\b/i, body: /\bbody\b/i, due: /deadline|due/i },
  }
}

/** The templates of the repository and its settings for issues; none where the caller may not read its code. */
async function templatesOf(caller: Context['caller']) {
  const { owner, name } = caller.repo
  const params = { owner: owner.name, repo: name }
  const reading = Promise.all([
    read(caller, repoGetIssueTemplates, v.array(IssueTemplate), { params }),
    read(caller, repoGetIssueConfig, IssueConfig, { params }),
  ])
  const outcome = await outcomeOf(reading, {}, [403, 404])
  const [templates, config] = outcome.ok ? outcome.value : [[], undefined]
  return { templates, config }
}

/** The form as a template fills it. */
async function valuesOf({ sql, caller }: Context, template: IssueTemplate): Promise<Fields> {
  const { labels, people } = await issueParts(sql, caller)
  const ticked = [
    ...labels.flatMap(({ id, name }) => (template.labels?.includes(name) ? `label-${id}` : [])),
    ...people.flatMap((name) => (template.assignees?.includes(name) ? `assignee-${name}` : [])),
  ]
  const plan = Object.fromEntries(ticked.map((name) => [name, 'on']))
  return { title: template.title, body: textOfTemplate(template), ...plan }
}

/** Links to the form from each template, and to other places that the repository names. */
function offered(
  { caller: { repo }, from: { host } }: Context,
  templates: readonly IssueTemplate[],
  config: IssueConfig | undefined,
): Html | undefined {
  const links = config?.contact_links ?? []
  if (templates.length + links.length === 0) return undefined
  const address = `${host}${repo.owner.name}/${repo.name}/issues/new`
  return card('templates', 'Begin with')`<ul class="list">
${templates.map(({ name, about, file_name }) => html`<li><a href="${withQuery(address, { template: file_name })}">${name}</a><p class="meta">${about}</p></li>`)}
${links.map(({ name, url, about }) => html`<li><a href="${webAddress(url)}" rel="noopener noreferrer nofollow ugc">${name}</a><p class="meta">${about}</p></li>`)}
</ul>`
}

interface Shown {
  values: Fields
  refusal?: Refusal
  isPreview?: boolean
  above?: Html | undefined
}

async function newIssuePage(
  context: Context,
  { values, refusal, isPreview = false, above }: Shown,
): Promise<string> {
  const { caller, from, sql } = context
  const { owner, name } = caller.repo
  const fieldOf = fieldsOf(values, refusal, isPreview ? undefined : 'title')
  const parts = rightsOn(caller).writes ? await issueParts(sql, caller) : undefined
  const main = html`<h2>New issue</h2>
${noticeOf(undefined, refusal)}
${above}
${isPreview ? await previewOf(context, values.body ?? '') : undefined}
<form class="panel" method="post" enctype="multipart/form-data" action="${from.host}${owner.name}/${name}/issues/new">
${hiddenFields(newFormId())}
<div class="card">
${field({ ...fieldOf('title'), label: 'Title' })}
${textField(context, { ...fieldOf('body'), label: 'Text', rows: 12, isOptional: true })}
${filesField(context.tools, refusal)}
<div class="actions"><button>Open the issue</button> <button class="quiet" name="preview" value="1" formnovalidate>Preview</button></div>
</div>
${
  parts &&
  html`<div class="card">
${planFields(parts, values, fieldOf('due'))}
</div>`
}
</form>`
  return repositoryPage({ ...context, host: from.host, current: 'issues', title: 'New issue', main })
}
