import { Package } from '../../forge/packages/package.shape.ts'
import { adminListPackages } from '../../forge/packages/packages.ts'
import { queryTrimmed, queryWord } from '../../forge/protocol/query.ts'
import { field } from '../form.ts'
import { html, timeOf } from '../html.ts'
import { route } from '../route.ts'
import { choice, filterForm } from './fields.ts'
import { adminPage } from './frame.ts'
import { listQuery, listSection, pageAt, rowOf, selected } from './list.ts'
import { readPage } from './operation.ts'
import { adminReply } from './reply.ts'

/** The types that this server keeps. */
const types = { '': 'All', generic: 'Generic', npm: 'npm' } as const

export const getAdminPackagesPage = route('GET /-/admin/packages', {
  ...adminReply,
  summary: 'Versions of all packages, newest first, found by name and type, as a page',
  query: { ...listQuery, q: queryTrimmed, type: queryWord(...Object.keys(types)) },
  handler: async ({ caller, query, from: { host } }) => {
    const { q, type } = query
    const selection = selected({ q, type })
    const given = { query: { ...selection, ...pageAt(query.page) } }
    const page = await readPage(caller, adminListPackages, Package, given)
    const address = `${host}-/admin/packages`
    const main = html`${filterForm(
      address,
      html`${field({ name: 'q', label: 'Name', value: q, isOptional: true })}
${choice({ name: 'type', label: 'Type', value: type, options: types })}`,
    )}
${listSection({
  address,
  selection,
  page,
  words: ['version'],
  rowOf: (each) =>
    rowOf(
      html`<a href="${each.html_url}">${each.name} ${each.version}</a> <span class="badge">${each.type}</span>`,
      html`of <a href="${each.owner.html_url}">${each.owner.login}</a> by ${each.creator.login} · ${timeOf(each.created_at)}`,
    ),
  empty: 'Nothing like that has been published.',
})}`
    return adminPage({ caller, title: 'Packages', section: 'packages', main })
  },
})
