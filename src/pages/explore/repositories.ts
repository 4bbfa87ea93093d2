import { everyone } from '../../forge/auth/access.ts'
import { queryChoice, queryTrimmed } from '../../forge/protocol/query.ts'
import { pageOfRepositories, type RepositoryOrder } from '../../forge/repos/repo-list-store.ts'
import { readerOf } from '../../forge/repos/visibility.ts'
import { pageQuery } from '../../http/route/page.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { textAs } from '../../http/route/sends.ts'
import { htmlType } from '../profile.ts'
import { publicPage, route } from '../route.ts'
import { listingPage, rowsOfPage } from './frame.ts'
import { repositoryEntry } from './repository-entry.ts'

/** The orders that the page offers, each in the direction that people want; the first one unless another is chosen. */
const orders = [
  { text: 'Last changed', sort: 'updated', order: 'desc' },
  { text: 'Newest', sort: 'created', order: 'desc' },
  { text: 'Most stars', sort: 'stars', order: 'desc' },
  { text: 'By name', sort: 'alpha', order: 'asc' },
] as const

export const getExplorePage = route('GET /explore', {
  summary: 'Leads to the list of repositories',
  access: publicPage,
  returns: textAs(303, htmlType),
  handler: ({ from: { host } }) =>
    new ReplyWith('', { status: 303, headers: { Location: `${host}explore/repos` } }),
})

export const exploreRepositories = route('GET /explore/repos', {
  summary: 'Repositories that the visitor may see, by name, age, last change or stars, as a page',
  access: everyone('repository'),
  query: { q: queryTrimmed, sort: queryChoice(...orders.map((each) => each.sort)), page: pageQuery().page },
  returns: textAs(200, htmlType),
  handler: async ({ caller, query, sql, from: { host } }) => {
    const { q } = query
    const { sort, order } = orders.find((each) => each.sort === query.sort) ?? orders[0]
    const by: RepositoryOrder = `${sort} ${order}`
    const paging = { page: query.page, limit: rowsOfPage }
    const results = await pageOfRepositories(sql, readerOf(caller), { q }, paging, by)
    return listingPage({
      host,
      caller,
      list: 'repos',
      hint: 'A part of the name',
      query: { q, sort },
      choices: orders.map(({ text, sort }) => ({ text, query: { sort } })),
      results,
      noun: ['repository', 'repositories'],
      rowOf: ({ row, owner }) => repositoryEntry({ ...row, path: `${owner.name}/${row.name}` }, host),
    })
  },
})
