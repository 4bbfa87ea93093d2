import { Organization } from '../../forge/orgs/organization.shape.ts'
import { adminCreateOrg, adminGetAllOrgs } from '../../forge/orgs/orgs.ts'
import { field } from '../form.ts'
import { html } from '../html.ts'
import { route } from '../route.ts'
import { choice } from './fields.ts'
import { adminPage } from './frame.ts'
import { listQuery, listSection, pageAt, rowOf } from './list.ts'
import { type Administrator, perform, readPage } from './operation.ts'
import { type Refusal, refusalOf } from './refusal.ts'
import { adminForm, adminReply, type Fields, outcomeOf } from './reply.ts'
import { visibilities } from './visibilities.ts'

export const getAdminOrganizationsPage = route('GET /-/admin/organizations', {
  ...adminReply,
  summary: 'All organizations of the site, by name, as a page',
  query: listQuery,
  handler: async ({ caller, query, from: { host } }) => {
    const page = await readPage(caller, adminGetAllOrgs, Organization, { query: pageAt(query.page) })
    const main = listSection({
      address: `${host}-/admin/organizations`,
      page,
      words: ['organization'],
      rowOf: ({ name, full_name, description, visibility }) => {
        const badge = visibility === 'public' ? undefined : html` <span class="badge">${visibility}</span>`
        const facts = [full_name, description].filter((text) => text !== '').join(' · ')
        return rowOf(html`<a href="${host}${name}">${name}</a>${badge}`, html`<bdi>${facts}</bdi>`)
      },
      empty: 'There are none yet.',
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
  handler: async ({ caller, body }) => {
    const { owner = '', username = '', full_name = '', description = '', website = '', location = '' } = body
    const draft = { username, full_name, description, website, location, visibility: body.visibility ?? '' }
    const work = perform(caller, adminCreateOrg, { params: { username: owner }, body: draft })
    const refusal = await refusalOf(work, {
      owner: /redirect does not exist|own|not found/,
      website: /website/,
      full_name: /full_name/,
      description: /description/,
      location: /location/,
      username: /name/,
    })
    return outcomeOf(caller, refusal, 'organizations?done=created', (refused) =>
      newOrganizationPage(caller, body, refused),
    )
  },
})

function newOrganizationPage(caller: Administrator, values: Fields, refusal?: Refusal): string {
  const { host } = caller.request.from
  const own = (name: string) => ({
    name,
    value: values[name],
    fault: refusal?.field === name ? refusal.sentence : undefined,
    hasFocus: refusal ? refusal.field === name : name === 'username',
    autocomplete: 'off',
  })
  const main = html`<form class="card admin-form" method="post" action="${host}-/admin/new/organization">
${field({ ...own('username'), label: 'Name', hint: 'In addresses: letters and digits, with single - _ . between them' })}
${field({ ...own('owner'), label: 'Owner', hint: 'The name of a user' })}
${field({ ...own('full_name'), label: 'Full name', isOptional: true })}
${field({ ...own('description'), label: 'Description', isOptional: true })}
${field({ ...own('website'), label: 'Website', isOptional: true })}
${field({ ...own('location'), label: 'Place', isOptional: true })}
${choice({ name: 'visibility', label: 'Seen by', value: values.visibility ?? 'public', options: visibilities })}
<button>Create the organization</button>
</form>`
  return adminPage({ caller, title: 'Create an organization', section: 'organizations', main, refusal })
}
