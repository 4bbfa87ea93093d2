import { mapPage, type Page } from '../../db/page.ts'
import type { Sql } from '../../db/sql.ts'
import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { found } from '../../http/route/problem.ts'
import { numberIn, onIssue, queryTime } from '../protocol/query.ts'
import type { OnRepository } from '../repos/access.ts'
import { route } from '../route.ts'
import { issuesSeen } from './access.ts'
import { pageOfComments, pageOfRepositoryComments, type StoredComment } from './comment-store.ts'
import { peopleIn } from './events.ts'
import { Comment, printComment } from './issue.shape.ts'
import { timeOf } from './issue-filter.ts'
import { issueByNumber } from './issue-store.ts'
import { viewOf } from './issues.ts'

const listing = {
  access: issuesSeen(),
  ...pagesOf(Comment),
  fails: [422],
} as const

const list = route('GET /repos/{owner}/{repo}/issues/{index}/comments', {
  operationId: 'issueGetComments',
  ...listing,
  summary: 'Comments on an issue, the oldest first',
  params: onIssue,
  // Gitea has no pages here and its clients send none: the default is the largest page.
  query: { since: queryTime, before: queryTime, ...pageQuery(500, 500) },
  handler: async ({ caller, params, query, sql, from }) => {
    const time = timeOf(query)
    const issue = found(await issueByNumber(sql, caller.repo.id, numberIn(params.index)))
    return printed(sql, await pageOfComments(sql, issue.id, time, query), caller, from.host)
  },
})

const listOfRepository = route('GET /repos/{owner}/{repo}/issues/comments', {
  operationId: 'issueGetRepoComments',
  ...listing,
  summary: 'Comments on all issues of a repository, the oldest first',
  query: { since: queryTime, before: queryTime, ...pageQuery() },
  handler: async ({ caller, query, sql, from }) => {
    const page = await pageOfRepositoryComments(sql, caller.repo.id, timeOf(query), query)
    return printed(sql, page, caller, from.host)
  },
})

export const commentListRoutes = [list, listOfRepository]

async function printed(
  sql: Sql,
  page: Page<StoredComment>,
  caller: OnRepository,
  host: string,
): Promise<Page<Comment>> {
  const people = await peopleIn(sql, page.rows)
  return mapPage(page, (row) => printComment(row, people, viewOf(caller, host)))
}
