import type { OnRepository } from '../repos/access.ts'
import type { ForgeContext } from '../route.ts'
import { type Issue, type IssueView, printIssue } from './issue.shape.ts'
import type { StoredIssue } from './issue-store.ts'
import { peopleIn } from './people.ts'

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
