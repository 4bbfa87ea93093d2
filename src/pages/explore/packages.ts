import { everyone } from '../../forge/auth/access.ts'
import { type Package, printPackage } from '../../forge/packages/package.shape.ts'
import { pageOfPackages } from '../../forge/packages/package-list-store.ts'
import { queryChoice, queryTrimmed } from '../../forge/protocol/query.ts'
import { readerOf } from '../../forge/repos/visibility.ts'
import { pageQuery } from '../../http/route/page.ts'
import { textAs } from '../../http/route/sends.ts'
import { html, timeOf } from '../html.ts'
import { rowOf } from '../list.ts'
import { htmlType } from '../profile.ts'
import { route } from '../route.ts'
import { listingPage, rowsOfPage } from './frame.ts'

/** The types of packages that this server has. */
const kinds = ['', 'generic', 'npm'] as const

export const explorePackages = route('GET /explore/packages', {
  summary: 'Versions of packages that the visitor may see, newest first, as a page',
  access: everyone('package'),
  query: { q: queryTrimmed, type: queryChoice(...kinds), page: pageQuery().page },
  returns: textAs(200, htmlType),
  handler: async ({ caller, query, sql, from: { host } }) => {
    const { q } = query
    const type = kinds.find((each) => each === query.type) ?? ''
    const filter = { q, type, reader: readerOf(caller) }
    const results = await pageOfPackages(sql, filter, { page: query.page, limit: rowsOfPage })
    return listingPage({
      host,
      caller,
      list: 'packages',
      hint: 'A part of the name',
      query: { q, type },
      choices: kinds.map((kind) => ({ text: kind || 'All', query: { type: kind } })),
      results,
      noun: ['version'],
      rowOf: ({ row, ...accounts }) => entryOf(printPackage(row, accounts, { viewer: caller.me, host })),
    })
  },
})

const entryOf = ({ html_url, name, version, type, owner, created_at }: Package) =>
  rowOf(
    html`<a href="${html_url}">${name} ${version}</a> <span class="badge">${type}</span>`,
    html`of <a href="${owner.html_url}">${owner.login}</a> ${timeOf(created_at)}`,
  )
