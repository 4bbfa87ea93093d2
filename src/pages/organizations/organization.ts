import * as v from 'valibot'
import type { SignedInOnSubject } from '../../forge/auth/access.ts'
import { signedIn } from '../../forge/auth/access.ts'
import { orgOwner } from '../../forge/auth/org-access.ts'
import { Organization } from '../../forge/orgs/organization.shape.ts'
import { orgCreate, orgDelete, orgEdit, orgGet, renameOrg } from '../../forge/orgs/orgs.ts'
import { queryText } from '../../forge/protocol/query.ts'
import { textAs } from '../../http/route/sends.ts'
import { type Fields, field, opened, unknownAction } from '../form.ts'
import { html } from '../html.ts'
import { card, page } from '../layout.ts'
import { describedFields, fieldsFrom, valuesIn } from '../operations/described.ts'
import { fieldsOf, noticeOf } from '../operations/fields.ts'
import { type Asked, type FormSender, operationForm, replyToForm } from '../operations/form.ts'
import { forPages, type OnRequest, read } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import { htmlType } from '../profile.ts'
import { route } from '../route.ts'
import { orSignIn } from '../session/session.ts'
import { newOrganizationFields, organizationFields } from './organization-fields.ts'
import { organizationSection } from './settings-frame.ts'

const creating = () => signedIn('organization')

export const getNewOrganizationPage = route('GET /org/create', {
  summary: 'The form that creates an organization',
  access: orSignIn(forPages(creating())),
  returns: textAs(200, htmlType),
  handler: ({ caller }) => newOrganizationPage(caller, {}),
})

export const createOwnOrganizationByPage = route('POST /org/create', {
  ...operationForm(creating()),
  summary: 'Create an organization',
  handler: ({ caller: sender, body }) =>
    replyToForm(sender, body, {
      ask: (): Asked => ({
        calls: [[orgCreate, { body: valuesIn(newOrganizationFields, body) }]],
        leadsTo: ([made]) => v.parse(Organization, made).name,
        blame: { ...blame, username: /name|user/i },
      }),
      again: async (caller, refusal) => newOrganizationPage(caller, body, refusal),
    }),
})

export const getOrganizationSettings = route('GET /org/{org}/settings', {
  summary: 'The settings of an organization, and the forms that change, rename and delete it',
  access: orSignIn(forPages(orgOwner())),
  query: { done: queryText },
  returns: textAs(200, htmlType),
  handler: ({ caller, query }) => organizationSettings(caller, { done: notices[query.done] }),
})

export const changeOrganizationByPage = route('POST /org/{org}/settings', {
  ...operationForm(orgOwner()),
  summary: 'Change, rename or delete an organization',
  fails: [400],
  handler: ({ caller: sender, body }) =>
    replyToForm(sender, body, {
      ask: ({ subject }) => askedOf(subject.name, body),
      again: (caller, refusal) => organizationSettings(caller, { values: body, refusal }),
    }),
})

const notices: Readonly<Record<string, string>> = {
  edited: 'The organization was changed.',
  renamed: 'The organization was renamed. The former name leads to it.',
}

const blame = { website: /website|url/i, email: /email/i, description: /description/i, visibility: /visib/i }

function newOrganizationPage(caller: FormSender, values: Fields, refusal?: Refusal): string {
  const { host } = caller.request.from
  const main = html`<div class="narrow">
<h1>New organization</h1>
${noticeOf(undefined, refusal)}
<form class="card" method="post" action="${host}org/create">
${describedFields(newOrganizationFields, { values, refusal, first: 'username' })}
<button>Create the organization</button>
</form>
</div>`
  return page({ host, caller, title: 'New organization', main })
}

interface Shown {
  done?: string | undefined
  /** A form as it was sent. */
  values?: Fields
  refusal?: Refusal
}

async function organizationSettings(
  caller: SignedInOnSubject & OnRequest,
  { done, values = {}, refusal }: Shown,
): Promise<string> {
  const { name } = caller.subject
  const stored = await read(caller, orgGet, Organization, { params: { org: name } })
  const address = `${caller.request.from.host}org/${name}/settings`
  const written =
    values.action === 'edit' ? { values, refusal } : { values: fieldsFrom(organizationFields, stored) }
  const fieldOf = fieldsOf(values, refusal)
  const main = html`${noticeOf(done, refusal)}
<div class="card">${opened(address, { action: 'edit' })}
${describedFields(organizationFields, written)}
<button>Save</button></form></div>
${card('rename', 'Rename')`${opened(address, { action: 'rename' })}
${field({ ...fieldOf('new_name'), label: 'New name', hint: 'The former name leads to the new one until somebody takes it.' })}
${field({ ...fieldOf('present_name'), label: `Write ${name} to rename it` })}
<button class="quiet">Rename the organization</button></form>`}
${card('delete', 'Delete')`${opened(address, { action: 'delete' })}
${field({ ...fieldOf('confirmation'), label: `Write ${name} to delete it`, hint: 'It must have no repositories and packages any more. Nobody can undo this.' })}
<button class="admin-danger">Delete the organization</button></form>`}`
  return organizationSection(caller, { section: '', title: 'Settings', main })
}

/** @throws Problem 400 an unknown action */
function askedOf(org: string, fields: Fields): Asked | Refusal {
  const params = { org }
  const isNamed = (text = '') => text.trim().toLowerCase() === org.toLowerCase()
  switch (fields.action) {
    case 'edit':
      return {
        calls: [[orgEdit, { params, body: valuesIn(organizationFields, fields) }]],
        leadsTo: `org/${org}/settings?done=edited`,
        blame,
      }
    case 'rename': {
      if (!isNamed(fields.present_name)) return { field: 'present_name', sentence: `Write ${org}.` }
      const new_name = fields.new_name?.trim() ?? ''
      return {
        calls: [[renameOrg, { params, body: { new_name } }]],
        leadsTo: `org/${encodeURIComponent(new_name)}/settings?done=renamed`,
        blame: 'new_name',
      }
    }
    case 'delete':
      return isNamed(fields.confirmation)
        ? { calls: [[orgDelete, { params }]], leadsTo: 'explore/organizations' }
        : { field: 'confirmation', sentence: `Write ${org}.` }
    default:
      throw unknownAction()
  }
}
