import { Organization } from '../../forge/orgs/organization.shape.ts'
import { adminCreateOrg, adminGetAllOrgs } from '../../forge/orgs/orgs.ts'
import { choice, type Fields, field } from '../form.ts'
import { html } from '../html.ts'
import { listQuery, listSection, pageAt, rowOf } from '../list.ts'
import { fieldsOf } from '../operations/fields.ts'
import { perform, readPage } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import { route } from '../route.ts'
import type { Administrator } from './administrator.ts'
import { visibilities } from './fields.ts'
import { adminPage } from './frame.ts'
import { adminForm, adminReply, replyTo } from './reply.ts'

export const getAdminOrganizationsPage = route('GET /-/admin/organizations', {
  ...adminReply,
  summary: 'All organizations of the site, by name, as a page',
  query: listQuery,
  handler: async ({ caller, query, from: { host } }) => {
    const page = await readPage(caller, adminGetAllOrgs, Organization, { query: pageAt(query.page) })
    const main = listSection({
      address: `${host}-/admin/organizations`,
      page,
      noun: ['organization'],
      rowOf: ({ name, full_name, description, visibility }) => {
        const badge = visibility === 'public' ? undefined : html` <span class="badge">${visibility}</span>`
        const facts = [full_name, description].filter((text) => text !== '').join(' · ')
        return rowOf(html`<a href="${host}${name}">${name}</a>${badge}`, html`<bdi>${facts}</bdi>`)
      },
    })
    const beside = html`<a class="button" href="${host}-/admin/new/organization">Create an organization</a>`
    const done = query.done === 'created' ? 'The organization was created.' : undefined
    return adminPage({ caller, title: 'Organizations', section: 'organizations', main, beside, done })
  },
})

export const getAdminNewOrganizationPage = route('GET /-/admin/new/organization', {
  ...adminReply,
  summary: 'The form that creates an organization for a user',
  handler: ({ caller }) => newOrganizationPage(caller, { owner: caller.me.name }),
})

export const createOrganizationByPage = route('POST /-/admin/new/organization', {
  ...adminForm,
  summary: 'Create an organization that a user owns',
  handler: ({ caller, body }) => {
    const { owner = '', username = '', full_name = '', description = '', website = '', location = '' } = body
    const draft = { username, full_name, description, website, location, visibility: body.visibility ?? '' }
    return replyTo(caller, perform(caller, adminCreateOrg, { params: { username: owner }, body: draft }), {
      path: 'organizations?done=created',
      blame: {
        owner: /redirect does not exist|own|not found/,
        website: /website/,
        full_name: /full_name/,
        description: /description/,
        location: /location/,
        username: /name/,
      },
      again: (refusal) => newOrganizationPage(caller, body, refusal),
    })
  },
})

function newOrganizationPage(caller: Administrator, values: Fields, refusal?: Refusal): string {
  const { host } = caller.request.from
  const fieldOf = fieldsOf(values, refusal, 'username')
  const main = html`<form class="card admin-form" method="post" action="${host}-/admin/new/organization">
${field({ ...fieldOf('username'), label: 'Name', hint: 'In addresses: letters and digits, with single - _ . between them' })}
${field({ ...fieldOf('owner'), label: 'Owner', hint: 'The name of a user' })}
${field({ ...fieldOf('full_name'), label: 'Full name', isOptional: true })}
${field({ ...fieldOf('description'), label: 'Description', isOptional: true })}
${field({ ...fieldOf('website'), label: 'Website', isOptional: true })}
${field({ ...fieldOf('location'), label: 'Place', isOptional: true })}
${choice({ name: 'visibility', label: 'Seen by', value: values.visibility ?? 'public', options: visibilities })}
<button>Create the organization</button>
</form>`
  return adminPage({ caller, title: 'Create an organization', section: 'organizations', main, refusal })
}
