import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { moment, User } from '../accounts/user.shape.ts'
import type { Issue } from '../issues/issue.shape.ts'
import { Label } from '../labels/label.shape.ts'
import { Milestone } from '../milestones/milestone.shape.ts'
import { Team } from '../orgs/team.shape.ts'
import { isDraft } from '../protocol/draft-title.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import { Repository } from '../repos/repo.shape.ts'
import type { StoredPull } from './pull-store.ts'

/** PRBranchInfo of the original. */
const PRBranchInfo = shape('PRBranchInfo', {
  label: described(v.string(), 'The short name of the branch'),
  ref: described(v.string(), 'The branch; of a head that is gone or hidden, `refs/pull/{index}/head`'),
  sha: described(v.string(), 'Its commit; empty: the branch is gone'),
  repo_id: described(int, '-1: it is gone, or the caller may not see it'),
  repo: described(v.nullable(Repository), 'Null: it is gone, or the caller may not see it'),
})

/** PullRequest of the original, with its members in the order in which they are sent. */
export const PullRequest = shape('PullRequest', {
  id: described(int, 'Id on the whole server; addresses have `number`'),
  url: described(v.string(), 'Address of its page'),
  number: described(int, 'Number in its repository, shared with the issues'),
  user: User,
  title: v.string(),
  body: described(v.string(), 'Markdown'),
  labels: v.array(Label),
  milestone: v.nullable(Milestone),
  assignee: described(v.nullable(User), 'The first of `assignees`; null: none'),
  assignees: v.array(User),
  requested_reviewers: described(v.array(User), 'Who is asked for a review'),
  requested_reviewers_teams: described(v.array(Team), 'Teams that are asked for a review'),
  state: v.picklist(['open', 'closed']),
  draft: described(v.boolean(), 'Whether its title begins with `WIP:` or `[WIP]`'),
  is_locked: v.boolean(),
  comments: described(int, 'Number of comments'),
  review_comments: described(int, 'Number of comments on lines'),
  additions: v.exactOptional(described(int, 'Added lines; absent in lists')),
  deletions: v.exactOptional(described(int, 'Removed lines; absent in lists')),
  changed_files: v.exactOptional(described(int, 'Number of changed files; absent in lists')),
  html_url: v.string(),
  diff_url: v.string(),
  patch_url: v.string(),
  mergeable: described(v.boolean(), 'Whether it is no draft and merges without conflicts'),
  merged: v.boolean(),
  merged_at: v.nullable(moment),
  merge_commit_sha: described(v.nullable(v.string()), 'The commit that contains it since; null: not merged'),
  merged_by: v.nullable(User),
  allow_maintainer_edit: described(
    v.boolean(),
    'Whether those who may write to the base repository may push to the head branch',
  ),
  base: PRBranchInfo,
  head: PRBranchInfo,
  merge_base: described(v.string(), 'The best common ancestor; empty: none'),
  due_date: v.nullable(moment),
  created_at: moment,
  updated_at: moment,
  closed_at: v.nullable(moment),
  pin_order: described(int, 'Place among the pinned pull requests; 0: it is not pinned'),
  content_version: described(int, 'How often its text has changed'),
})
export type PullRequest = v.InferOutput<typeof PullRequest>

/** What of a pull request is not in its rows, or in other rows, as its reader sees it. */
interface PullFacts {
  base: { commit: string; repo: Repository }
  /** Undefined: gone, or hidden from the reader. */
  headRepo: Repository | undefined
  mergeBase: string
  isMergeable: boolean
  merger: User | null
  reviewers: User[]
  teams: Team[]
  totals: { files: number; additions: number; deletions: number } | undefined
}

/** A pull request as it is sent; `issue` is its issue, printed for the same reader. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of members
export function printPull(row: StoredPull, issue: Issue, facts: PullFacts): PullRequest {
  const { totals, base } = facts
  const page = issue.html_url
  return {
    id: row.id,
    url: page,
    number: row.number,
    user: issue.user,
    title: issue.title,
    body: issue.body,
    labels: issue.labels,
    milestone: issue.milestone,
    assignee: issue.assignee,
    assignees: issue.assignees,
    requested_reviewers: facts.reviewers,
    requested_reviewers_teams: facts.teams,
    state: issue.state,
    draft: isDraft(row),
    is_locked: issue.is_locked,
    comments: issue.comments,
    review_comments: row.review_comments,
    ...(totals && {
      additions: totals.additions,
      deletions: totals.deletions,
      changed_files: totals.files,
    }),
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    mergeable: facts.isMergeable && !isDraft(row),
    merged: row.merged_at !== null,
    merged_at: row.merged_at === null ? null : printTime(row.merged_at, EPOCH),
    merge_commit_sha: row.merged_commit,
    merged_by: facts.merger,
    allow_maintainer_edit: row.allow_maintainer_edit,
    base: {
      label: row.base_branch,
      ref: row.base_branch,
      sha: base.commit,
      repo_id: base.repo.id,
      repo: base.repo,
    },
    head: printHead(row, facts.headRepo),
    merge_base: facts.mergeBase,
    due_date: issue.due_date,
    created_at: issue.created_at,
    updated_at: issue.updated_at,
    closed_at: issue.closed_at,
    pin_order: issue.pin_order,
    content_version: issue.content_version,
  }
}

function printHead(row: StoredPull, repo: Repository | undefined): PullRequest['head'] {
  const hasBranch = row.has_head_branch && repo !== undefined
  return {
    label: row.head_branch,
    ref: hasBranch ? row.head_branch : `refs/pull/${row.number}/head`,
    sha: row.head_commit,
    repo_id: repo?.id ?? -1,
    repo: repo ?? null,
  }
}
