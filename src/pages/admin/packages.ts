import { Package } from '../../forge/packages/package.shape.ts'
import { adminListPackages } from '../../forge/packages/packages.ts'
import { queryChoice, queryTrimmed } from '../../forge/protocol/query.ts'
import { choice, field } from '../form.ts'
import { html, timeOf, withoutEmpty } from '../html.ts'
import { listQuery, listSection, pageAt, rowOf } from '../list.ts'
import { readPage } from '../operations/perform.ts'
import { route } from '../route.ts'
import { adminAddress } from './administrator.ts'
import { filterForm } from './fields.ts'
import { adminPage } from './frame.ts'
import { adminReply } from './reply.ts'

/** The types of packages that this server has. */
const types = { '': 'All', generic: 'Generic', npm: 'npm' } as const

export const getAdminPackagesPage = route('GET /-/admin/packages', {
  ...adminReply,
  summary: 'Versions of all packages, filtered by name and type, newest first, as a page',
  query: { ...listQuery, q: queryTrimmed, type: queryChoice(...Object.keys(types)) },
  handler: async ({ caller, query }) => {
    const { q, type } = query
    const selection = withoutEmpty({ q, type })
    const input = { query: { ...selection, ...pageAt(query.page) } }
    const page = await readPage(caller, adminListPackages, Package, input)
    const address = adminAddress(caller, 'packages')
    const main = html`${filterForm(
      address,
      html`${field({ name: 'q', label: 'Name', value: q, isOptional: true })}
${choice({ name: 'type', label: 'Type', value: type, options: types })}`,
    )}
${listSection({
  address,
  selection,
  page,
  noun: ['version'],
  rowOf: (each) =>
    rowOf(
      html`<a href="${each.html_url}">${each.name} ${each.version}</a> <span class="badge">${each.type}</span>`,
      html`of <a href="${each.owner.html_url}">${each.owner.login}</a> by ${each.creator.login} · ${timeOf(each.created_at)}`,
    ),
})}`
    return adminPage({ caller, title: 'Packages', section: 'packages', main })
  },
})
