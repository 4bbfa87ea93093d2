import * as v from 'valibot'
import type { Account } from '../../forge/accounts/account-store.ts'
import { signedIn } from '../../forge/auth/access.ts'
import { queryText } from '../../forge/protocol/query.ts'
import { generateRepo } from '../../forge/repo-lifecycle/creation/generate.ts'
import { createCurrentUserRepo, createOrgRepo } from '../../forge/repo-lifecycle/repos.ts'
import { Repository } from '../../forge/repos/repo.shape.ts'
import type { HandlerBase } from '../../http/route/route.ts'
import { textAs } from '../../http/route/sends.ts'
import { choice, type Fields, field, hiddenFields, tick } from '../form.ts'
import { type Html, html } from '../html.ts'
import { page } from '../layout.ts'
import { fieldsOf, noticeOf } from '../operations/fields.ts'
import { type Asked, type FormSender, operationForm, replyToForm } from '../operations/form.ts'
import type { Refusal } from '../operations/refusal.ts'
import { htmlType } from '../profile.ts'
import { type PageTools, route } from '../route.ts'
import { orSignIn } from '../session/session.ts'
import type { Visitor } from '../session/viewer.ts'
import { ownerChoice } from './owners.ts'

const creating = () => signedIn('user', 'repository')

export const getNewRepositoryPage = route('GET /repo/create', {
  summary: 'The form that creates a repository, or one from a template',
  access: orSignIn(creating()),
  query: { owner: queryText, template: queryText },
  returns: textAs(200, htmlType),
  handler: ({ query, ...context }) => newRepositoryPage(context, { auto_init: 'on', ...query }),
})

export const createOwnRepositoryByPage = route('POST /repo/create', {
  ...operationForm(creating()),
  summary: 'Create a repository of one’s own or of an organization, also from a template',
  handler: ({ caller: sender, body, ...context }) =>
    replyToForm(sender, body, {
      ask: (caller) => askedOf(caller, body),
      again: (caller, refusal) => newRepositoryPage({ ...context, caller }, body, refusal),
    }),
})

/** What a repository from a template gets of it. */
const copied = { git_content: true, topics: true, labels: true, avatar: true } as const

function askedOf({ me }: FormSender, fields: Fields): Asked {
  const { owner = me.name, name = '', description = '', default_branch = '', template = '' } = fields
  const common = { name, description, default_branch, private: fields.private === 'on' }
  const leadsTo = ([made]: readonly unknown[]) => v.parse(Repository, made).full_name
  const blame = {
    name: /\bname\b|exist/i,
    default_branch: /branch/i,
    template: /template/i,
    owner: /organization/i,
  }
  if (template !== '') {
    const [from = '', repo = ''] = template.split('/')
    const input = { params: { owner: from, repo }, body: { ...common, owner, ...copied } }
    return { calls: [[generateRepo, input]], leadsTo, blame }
  }
  const { gitignores = '', license = '', issue_labels = '' } = fields
  // A licence needs a commit that has it.
  const auto_init = fields.auto_init === 'on' || gitignores + license !== ''
  const content = { auto_init, gitignores, license, issue_labels }
  const body = { ...common, ...content, template: fields.is_template === 'on' }
  const isOwn = owner.toLowerCase() === me.name.toLowerCase()
  const call = isOwn
    ? ([createCurrentUserRepo, { body }] as const)
    : ([createOrgRepo, { params: { org: owner }, body }] as const)
  return { calls: [call], leadsTo, blame }
}

type Context = HandlerBase<PageTools> & { caller: Visitor & { me: Account } }

async function newRepositoryPage(context: Context, values: Fields, refusal?: Refusal): Promise<string> {
  const { caller, sql, tools, from } = context
  const { host } = from
  const fieldOf = fieldsOf(values, refusal, 'name')
  const { template = '' } = values
  const owner = values.owner === '' ? undefined : values.owner
  const main = html`<div class="narrow">
<h1>New repository</h1>
${noticeOf(undefined, refusal)}
<form class="card" method="post" action="${host}repo/create">
${await ownerChoice(sql, caller.me, { label: 'Owner', value: owner })}
${field({ ...fieldOf('name'), label: 'Name', hint: 'Letters, digits, -, _ and .' })}
${field({ ...fieldOf('description'), label: 'Description', isOptional: true })}
${tick({ name: 'private', label: 'Private', isOn: values.private === 'on', hint: 'Only its owner, collaborators and teams see it.' })}
${template === '' ? contentFields(tools, values) : html`${hiddenFields({ template })}<p>It begins with the files, labels and topics of <strong>${template}</strong>.</p>`}
${field({ ...fieldOf('default_branch'), label: 'Default branch', isOptional: true, hint: template === '' ? 'Empty: main' : 'Empty: as in the template' })}
<button>Create the repository</button>
</form>
</div>`
  return page({ host, caller, title: 'New repository', main })
}

/** What a repository without a template begins with. */
function contentFields({ templateCatalog }: PageTools, values: Fields): Html {
  const { gitignores, licenses, labelSets } = templateCatalog
  const named = (names: readonly string[]) =>
    [['', 'None'], ...names.map((each) => [each, each] as const)] as const
  return html`${tick({ name: 'auto_init', label: 'Begin with a README', isOn: values.auto_init === 'on', hint: 'Without it the repository is empty, for a push of what you have.' })}
${choice({ name: 'gitignores', label: '.gitignore', value: values.gitignores ?? '', options: named(gitignores) })}
${choice({ name: 'license', label: 'Licence', value: values.license ?? '', options: named(licenses.map(({ key }) => key)) })}
${choice({ name: 'issue_labels', label: 'Labels of issues', value: values.issue_labels ?? '', options: named(labelSets) })}
${tick({ name: 'is_template', label: 'A template for others', isOn: values.is_template === 'on' })}`
}
