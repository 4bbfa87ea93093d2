import { queryTrimmed } from '../../forge/protocol/query.ts'
import { Email } from '../../forge/users/email.shape.ts'
import { adminSearchEmails } from '../../forge/users/emails.ts'
import { field } from '../form.ts'
import { html, withoutEmpty } from '../html.ts'
import { listQuery, listSection, pageAt, rowOf } from '../list.ts'
import { readPage } from '../operations/perform.ts'
import { route } from '../route.ts'
import { filterForm } from './fields.ts'
import { adminPage } from './frame.ts'
import { adminReply } from './reply.ts'

export const getAdminEmailsPage = route('GET /-/admin/emails', {
  ...adminReply,
  summary: 'E-mail addresses of all people, filtered by a text, as a page',
  query: { ...listQuery, q: queryTrimmed },
  handler: async ({ caller, query, from: { host } }) => {
    const selection = withoutEmpty({ q: query.q })
    const input = { query: { ...selection, ...pageAt(query.page) } }
    const page = await readPage(caller, adminSearchEmails, Email, input)
    const address = `${host}-/admin/emails`
    const search = field({ name: 'q', label: 'Address or name', value: query.q, isOptional: true })
    const main = html`${filterForm(address, search)}
${listSection({
  address,
  selection,
  page,
  noun: ['address', 'addresses'],
  rowOf: ({ email, username, primary, verified }) =>
    rowOf(
      html`${email}${primary ? html` <span class="badge">primary</span>` : undefined}${verified ? undefined : html` <span class="badge">not confirmed</span>`}`,
      html`<a href="${host}-/admin/users/${username}">${username}</a>`,
    ),
})}`
    return adminPage({ caller, title: 'E-mail addresses', section: 'emails', main })
  },
})
