import type { OnRepository } from '../repos/access.ts'
import type { IssueView } from './issue.shape.ts'

/** How issues of the caller's repository are printed for the caller. */
export function viewOf({ subject, repo, me }: OnRepository, host: string): IssueView {
  return { owner: subject, repo, viewer: me, host }
}
