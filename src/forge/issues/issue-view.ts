import { found } from '../../http/route/problem.ts'
import { numberIn } from '../protocol/query.ts'
import type { OnRepository } from '../repos/access.ts'
import { readerOf } from '../repos/visibility.ts'
import type { ForgeContext } from '../route.ts'
import type { RelationReader } from './dependency-store.ts'
import { type Issue, type IssueView, printIssue } from './issue.shape.ts'
import { issueByNumber, type StoredIssue } from './issue-store.ts'
import { peopleIn } from './people.ts'

/** The issue `{index}` of the caller's repository. @throws Problem 404 */
export async function issueIn({
  caller,
  sql,
  params,
}: ForgeContext<OnRepository, { params: { index: string } }>): Promise<StoredIssue> {
  return found(await issueByNumber(sql, caller.repo.id, numberIn(params.index)))
}

/** Who reads the issues that are related to the one in the path. */
export const relationReader = (caller: OnRepository): RelationReader => ({
  reader: readerOf(caller),
  repository: caller.repo.id,
  isPull: caller.repo.unit === 'repo.pulls',
})

/** How issues of the caller's repository are printed for the caller. */
export function viewOf({ subject, repo, me }: OnRepository, host: string): IssueView {
  return { owner: subject, repo, viewer: me, host }
}

/** An issue of the caller's repository as the caller sees it. */
export async function printedIssue(
  { sql, caller, from }: ForgeContext<OnRepository>,
  issue: StoredIssue,
): Promise<Issue> {
  return printIssue(issue, await peopleIn(sql, [issue]), viewOf(caller, from.host))
}
