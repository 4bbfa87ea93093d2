import { everyone } from '../../forge/auth/access.ts'
import { pageOfOrganizationsSeen } from '../../forge/orgs/org-list.ts'
import { printOrganizations } from '../../forge/orgs/organization.shape.ts'
import { queryChoice, queryTrimmed } from '../../forge/protocol/query.ts'
import { pageQuery } from '../../http/route/page.ts'
import { textAs } from '../../http/route/sends.ts'
import { htmlType } from '../profile.ts'
import { route } from '../route.ts'
import { accountEntry } from './account-entry.ts'
import { listingPage, rowsOfPage } from './frame.ts'

export const exploreOrganizations = route('GET /explore/organizations', {
  summary: 'Organizations that the visitor may see, by name, as a page',
  access: everyone(),
  query: { q: queryTrimmed, order: queryChoice('asc', 'desc'), page: pageQuery().page },
  returns: textAs(200, htmlType),
  handler: async ({ caller, query, sql, from: { host } }) => {
    const { q } = query
    const order = query.order === 'desc' ? 'desc' : 'asc'
    const paging = { page: query.page, limit: rowsOfPage }
    const results = printOrganizations(await pageOfOrganizationsSeen(sql, caller, paging, { q, order }), host)
    return listingPage({
      host,
      caller,
      list: 'organizations',
      hint: 'A part of the name or the full name',
      query: { q, order },
      choices: [
        { text: 'By name', query: { order: 'asc' } },
        { text: 'From Z to A', query: { order: 'desc' } },
      ],
      results,
      noun: ['organization'],
      rowOf: (each) => accountEntry({ ...each, login: each.name }, host),
    })
  },
})
