import type { Sql } from '../../db/sql.ts'
import { pageQuery } from '../../http/route/page.ts'
import { searched } from '../../http/route/sends.ts'
import { accountById } from '../accounts/account-store.ts'
import { everyone } from '../auth/access.ts'
import type { Caller } from '../auth/caller.ts'
import { seesUser } from '../auth/user-visibility.ts'
import { isTeamSeenBy } from '../orgs/team-store.ts'
import { queryFilter, queryFlag, queryInteger, queryTrimmed, queryWord } from '../protocol/query.ts'
import { ORDERS } from '../protocol/sorting.ts'
import { kindFilter, listRepositories, REPOSITORY_MODES } from '../repos/listed-repositories.ts'
import { RepositorySearch } from '../repos/repo.shape.ts'
import type { RepositoryFilter, TextSearch } from '../repos/repo-filter-store.ts'
import { REPOSITORY_SORTS } from '../repos/repo-list-store.ts'
import { route } from '../route.ts'

/** No account and no team has this id. */
const nobody = -1

export const repoSearch = route('GET /repos/search', {
  summary:
    'Repositories whose name contains one of comma-separated texts, or owner/name (with `topic`: that have one of the topics; with `includeDesc`: also in the description), filtered and sorted',
  access: everyone('repository'),
  query: {
    q: queryTrimmed,
    topic: queryFlag,
    includeDesc: queryFlag,
    uid: queryInteger,
    exclusive: queryFlag,
    team_id: queryInteger,
    starredBy: queryInteger,
    private: queryFilter,
    is_private: queryFilter,
    template: queryFilter,
    archived: queryFilter,
    mode: queryWord(...REPOSITORY_MODES),
    sort: queryWord(...REPOSITORY_SORTS, 'git_size', 'lfs_size'),
    order: queryWord(...ORDERS),
    ...pageQuery(),
  },
  fails: [422],
  returns: searched(RepositorySearch),
  shared: 'until written',
  handler: async (context) => {
    const { caller, query, sql } = context
    const { uid, exclusive, is_private, template, archived } = query
    const whose = uid > 0 ? (exclusive ? { owner: uid } : { among: { of: uid } }) : {}
    const filter = {
      ...textFilter(query),
      is_private,
      template,
      archived,
      ...whose,
      ...kindFilter(query.mode, uid),
      ...(await teamFilter(sql, caller, query.team_id)),
      ...(await starFilter(sql, caller, query.starredBy)),
    }
    const isEmpty = query.private === false && is_private === true
    const shown = query.private === false ? { is_private: false } : {}
    const list = isEmpty ? { ...filter, owner: nobody } : { ...filter, ...shown }
    return listRepositories(context, list, `${sortOf(query.sort)} ${query.order || 'asc'}`)
  },
})

/** A repository's size is that of its git data; nothing is in LFS here. */
function sortOf(sort: (typeof REPOSITORY_SORTS)[number] | 'git_size' | 'lfs_size' | '') {
  if (sort === 'git_size') return 'size'
  return sort === 'lfs_size' ? 'id' : sort || 'alpha'
}

/** How many texts of one request are searched. */
const maxTexts = 20

function textFilter(query: { q: string; topic: boolean; includeDesc: boolean }): RepositoryFilter {
  const { q, topic, includeDesc: inDescription } = query
  if (topic && q !== '') return { topics: q.toLowerCase().split(',') }
  if (!/[,/]/.test(q) && !inDescription) return { q }
  const texts = q.split(',').map((text) => text.trim())
  const filled = texts.filter((text) => text !== '').slice(0, maxTexts)
  if (filled.length === 0) return {}
  return { anyOf: filled.map((text) => ({ ...ownerAndName(text), inDescription })) }
}

function ownerAndName(text: string): TextSearch {
  const [owner = '', name, ...more] = text.split('/')
  return name === undefined || more.length > 0 ? { text } : { owner, text: name }
}

/** Repositories of a team that the caller may see. */
async function teamFilter(sql: Sql, { me }: Caller, team: number): Promise<RepositoryFilter> {
  if (team <= 0) return {}
  const isSeen = me?.is_admin || (me && (await isTeamSeenBy(sql, me.id, team)))
  return { team: isSeen ? team : nobody }
}

/** Repositories with a star of a user whom the caller may see; others see only those that are not private. */
async function starFilter(sql: Sql, caller: Caller, starredBy: number): Promise<RepositoryFilter> {
  if (starredBy <= 0) return {}
  if (starredBy === caller.me?.id) return { starredBy }
  const user = await accountById(sql, starredBy)
  return user && seesUser(user, caller) ? { starredBy, is_private: false } : { starredBy: nobody }
}
