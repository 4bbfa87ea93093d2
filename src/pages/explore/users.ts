import { printUser } from '../../forge/accounts/user.shape.ts'
import { pageOfUsers } from '../../forge/accounts/user-list-store.ts'
import { everyone } from '../../forge/auth/access.ts'
import { usersListedTo } from '../../forge/auth/user-visibility.ts'
import { queryChoice, queryTrimmed } from '../../forge/protocol/query.ts'
import { pageQuery } from '../../http/route/page.ts'
import { textAs } from '../../http/route/sends.ts'
import { htmlType } from '../profile.ts'
import { route } from '../route.ts'
import { accountEntry } from './account-entry.ts'
import { listingPage, rowsOfPage } from './frame.ts'

/** The orders that the page offers; the first one unless another is chosen. */
const orders = [
  { text: 'By name', sort: 'name', order: 'asc' },
  { text: 'Newest', sort: 'created', order: 'desc' },
] as const

export const exploreUsers = route('GET /explore/users', {
  summary: 'People whom the visitor may see, by name or the newest first, as a page',
  access: everyone('user'),
  query: { q: queryTrimmed, sort: queryChoice('name', 'created'), page: pageQuery().page },
  returns: textAs(200, htmlType),
  handler: async ({ caller, query, sql, from: { host } }) => {
    const { q } = query
    const { sort, order } = orders.find((each) => each.sort === query.sort) ?? orders[0]
    const filter = { q, ...usersListedTo(caller) }
    const results = await pageOfUsers(sql, filter, { page: query.page, limit: rowsOfPage }, sort, order)
    return listingPage({
      host,
      caller,
      list: 'users',
      hint: 'A part of the name or the full name',
      query: { q, sort },
      choices: orders.map((each) => ({ text: each.text, query: { sort: each.sort } })),
      results,
      noun: ['person', 'people'],
      rowOf: (each) => accountEntry(printUser(each, caller.me, host), host),
    })
  },
})
