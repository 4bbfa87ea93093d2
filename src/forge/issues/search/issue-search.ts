import { mapPage } from '../../../db/page.ts'
import type { Sql } from '../../../db/sql.ts'
import { pageQuery } from '../../../http/route/page.ts'
import { badRequest } from '../../../http/route/problem.ts'
import { paged } from '../../../http/route/sends.ts'
import { type Account, accountByName } from '../../accounts/account-store.ts'
import { everyone, isPublicOnly, maySee } from '../../auth/access.ts'
import type { Caller } from '../../auth/caller.ts'
import { milestoneNames } from '../../milestones/named.ts'
import { membershipOf } from '../../orgs/membership-store.ts'
import { teamByName, teamSeenBy } from '../../orgs/team-store.ts'
import { queryFlag, queryText } from '../../protocol/query.ts'
import { readerOf } from '../../repos/visibility.ts'
import { route } from '../../route.ts'
import { Issue, printIssueElsewhere } from '../issue.shape.ts'
import { filterOf, issueQuery, labelNames } from '../issue-filter.ts'
import { peopleIn } from '../people.ts'
import { type IssueSearchFilter, pageOfIssuesEverywhere } from './issue-search-store.ts'

/** Rows in a page by default, as in the original. */
const pageSize = 20

export const issueSearchIssues = route('GET /repos/issues/search', {
  summary: 'Issues of all repositories that the caller may see, filtered, newest first',
  access: everyone('issue'),
  query: {
    ...issueQuery,
    owner: queryText,
    team: queryText,
    created: queryFlag,
    assigned: queryFlag,
    mentioned: queryFlag,
    review_requested: queryFlag,
    reviewed: queryFlag,
    ...pageQuery(pageSize),
  },
  fails: [400, 422],
  returns: paged(Issue),
  shared: 'until written',
  handler: async ({ caller, query, sql, from }) => {
    const { me } = caller
    const { page, limit } = query
    const filter = {
      ...filterOf(query),
      labels: labelNames(query.labels),
      milestones: milestoneNames(query.milestones),
      ...relatedTo(me, query),
      ...(await ownedBy(sql, caller, query)),
    }
    const issues = await pageOfIssuesEverywhere(sql, readerOf(caller), filter, { page, limit })
    const people = await peopleIn(sql, issues.rows)
    return mapPage(issues, (row) => printIssueElsewhere(row, people, { viewer: me, host: from.host }))
  },
})

/** Filters by the caller's relation to an issue; anonymous callers get no such filter. */
function relatedTo(
  me: Account | undefined,
  query: Record<'created' | 'assigned' | 'mentioned' | 'review_requested' | 'reviewed', boolean>,
): Pick<IssueSearchFilter, 'poster' | 'assignee' | 'mentioned' | 'reviewRequested' | 'reviewed'> {
  return {
    poster: query.created ? me?.id : undefined,
    assignee: query.assigned ? me?.id : undefined,
    mentioned: query.mentioned ? me?.id : undefined,
    reviewRequested: query.review_requested ? me?.id : undefined,
    reviewed: query.reviewed ? me?.id : undefined,
  }
}

/**
 * Ids of the owner and the team that a query names. If the caller may not see one of them, the error is the same as for
 * an unknown name.
 * @throws Problem 400
 */
async function ownedBy(
  sql: Sql,
  caller: Caller,
  { owner, team }: { owner: string; team: string },
): Promise<Pick<IssueSearchFilter, 'owner' | 'team'>> {
  if (owner === '' && team === '') return {}
  if (owner === '') throw badRequest('Owner organisation is required for filtering on team')
  const account = await accountByName(sql, owner)
  if (!account || !(await isVisible(sql, caller, account)))
    throw badRequest(`user does not exist [uid: 0, name: ${owner}]`)
  if (team === '') return { owner: account.id }
  const { me } = caller
  const teamRow = me?.is_admin
    ? await teamByName(sql, account.id, team)
    : me && (await teamSeenBy(sql, me.id, account.id, team))
  if (!teamRow) throw badRequest(`team does not exist [org_id ${account.id}, team_id 0, name: ${team}]`)
  return { owner: account.id, team: teamRow.id }
}

async function isVisible(sql: Sql, caller: Caller, account: Account): Promise<boolean> {
  const { me } = caller
  if (account.visibility === 'public') return true
  if (isPublicOnly(caller)) return false
  const membership = me && (await membershipOf(sql, account.id, me.id))
  return maySee(account, { me, is_member: membership !== undefined })
}
