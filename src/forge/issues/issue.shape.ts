import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import type { Account } from '../accounts/account-store.ts'
import { ghost } from '../accounts/ghost.ts'
import { moment, printUser, User, type Viewer } from '../accounts/user.shape.ts'
import { Attachment, printAttachment } from '../attachments/attachment.shape.ts'
import { Label, printLabel } from '../labels/label.shape.ts'
import { Milestone, printMilestone } from '../milestones/milestone.shape.ts'
import { isDraft } from '../protocol/draft-title.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import type { StoredComment } from './comment-store.ts'
import type { IssueWithRepository, StoredIssue } from './issue-store.ts'

/** Gitea's PullRequestMeta: what an issue says of its pull request. */
const PullRequestMeta = shape('PullRequestMeta', {
  merged: v.boolean(),
  merged_at: v.nullable(moment),
  draft: described(v.boolean(), 'Whether its title begins with `WIP:` or `[WIP]`'),
  html_url: v.string(),
})

/** Gitea's Issue. */
export const Issue = shape('Issue', {
  id: described(int, 'Id on the whole server; addresses have `number`'),
  url: v.string(),
  html_url: v.string(),
  number: described(int, 'Number in its repository, counted from 1'),
  user: User,
  original_author: v.literal(''),
  original_author_id: v.literal(0),
  title: v.string(),
  body: described(v.string(), 'Markdown'),
  ref: described(v.string(), 'A branch or tag that the issue is about; empty: none'),
  assets: described(v.array(Attachment), 'Its files'),
  labels: v.array(Label),
  milestone: v.nullable(Milestone),
  assignee: described(v.nullable(User), 'The first of `assignees`; null: none'),
  assignees: v.array(User),
  state: v.picklist(['open', 'closed']),
  is_locked: described(
    v.boolean(),
    'Whether only those who may write to the issues can comment on it and react to it',
  ),
  comments: described(int, 'Number of comments'),
  created_at: moment,
  updated_at: moment,
  closed_at: described(v.nullable(moment), 'Null while it is open'),
  due_date: described(v.nullable(moment), 'The deadline; null: none'),
  time_estimate: described(v.literal(0), 'Always 0'),
  pull_request: described(v.nullable(PullRequestMeta), 'Null: it is no pull request'),
  repository: v.object({ id: int, name: v.string(), owner: v.string(), full_name: v.string() }),
  pin_order: described(int, 'Place among the pinned issues of its repository; 0: it is not pinned'),
  content_version: described(int, 'How often its text has changed'),
})

export type Issue = v.InferOutput<typeof Issue>

/** Gitea's Comment. */
export const Comment = shape('Comment', {
  id: int,
  html_url: v.string(),
  pull_request_url: described(v.string(), 'Address of the page of the pull request; empty: it is none'),
  issue_url: described(v.string(), 'Address of the page of the issue; empty: it is a pull request'),
  user: User,
  original_author: v.literal(''),
  original_author_id: v.literal(0),
  body: described(v.string(), 'Markdown'),
  assets: described(v.array(Attachment), 'Its files'),
  created_at: moment,
  updated_at: moment,
})

export type Comment = v.InferOutput<typeof Comment>

/** How an issue is printed: its repository as links name it, the viewer, and `host`, the root of links. */
export interface IssueView {
  owner: Pick<Account, 'name'>
  repo: { id: number; name: string }
  viewer: Viewer
  host: string
}

/** Accounts by id; deleted accounts are absent. */
export type People = ReadonlyMap<number, Account>

export function printIssue(row: StoredIssue, people: People, view: IssueView): Issue {
  const { owner, repo, viewer, host } = view
  const path = `${owner.name}/${repo.name}`
  const assignees = row.assignees.flatMap((id) => people.get(id) ?? [])
  const assigned = assignees.map((account) => printUser(account, viewer, host))
  return {
    id: row.id,
    url: `${host}api/v1/repos/${path}/issues/${row.number}`,
    html_url: pageUrl(row, view),
    number: row.number,
    user: printPoster(row, people, view),
    original_author: '',
    original_author_id: 0,
    title: row.title,
    body: row.body,
    ref: row.ref,
    assets: row.assets.map((each) => printAttachment(each, view)),
    labels: row.labels.map((label) => printLabel(label, view)),
    milestone: row.milestone && printMilestone(row.milestone),
    assignee: assigned[0] ?? null,
    assignees: assigned,
    state: row.closed_at === null ? 'open' : 'closed',
    is_locked: row.is_locked,
    comments: row.comments_count,
    created_at: printTime(row.created_at, EPOCH),
    updated_at: printTime(row.updated_at, EPOCH),
    closed_at: row.closed_at === null ? null : printTime(row.closed_at, EPOCH),
    due_date: row.due_at === null ? null : printTime(row.due_at, EPOCH),
    time_estimate: 0,
    pull_request: printPullMeta(row, view),
    repository: { id: repo.id, name: repo.name, owner: owner.name, full_name: path },
    pin_order: row.pin_order,
    content_version: row.content_version,
  }
}

function printPullMeta(row: StoredIssue, view: IssueView): Issue['pull_request'] {
  if (!row.pull) return null
  const { merged_at } = row.pull
  return {
    merged: merged_at !== null,
    merged_at: merged_at === null ? null : printTime(merged_at, EPOCH),
    draft: isDraft(row),
    html_url: pageUrl(row, view),
  }
}

/** Prints an issue of any repository. */
export function printIssueElsewhere(
  row: IssueWithRepository,
  people: People,
  { viewer, host }: Pick<IssueView, 'viewer' | 'host'>,
): Issue {
  const repo = { id: row.repository_id, name: row.repository_name }
  return printIssue(row, people, { owner: { name: row.owner_name }, repo, viewer, host })
}

export function printComment(row: StoredComment, people: People, view: IssueView): Comment {
  const page = pageUrl(row, view)
  return {
    id: row.id,
    html_url: `${page}#issuecomment-${row.id}`,
    ...itemUrls(row, view),
    user: printPoster(row, people, view),
    original_author: '',
    original_author_id: 0,
    body: row.body,
    assets: row.assets.map((each) => printAttachment(each, view)),
    created_at: printTime(row.created_at, EPOCH),
    updated_at: printTime(row.updated_at, EPOCH),
  }
}

/** An issue or pull request, as addresses name it. */
interface Numbered {
  number: number
  is_pull: boolean
}

/** URL of the web page of an issue. */
export function pageUrl({ number, is_pull }: Numbered, { owner, repo, host }: IssueView): string {
  return `${host}${owner.name}/${repo.name}/${is_pull ? 'pulls' : 'issues'}/${number}`
}

/** The members of a comment that name the page of its issue or pull request. */
export const itemUrls = (item: Numbered, view: IssueView) => ({
  pull_request_url: item.is_pull ? pageUrl(item, view) : '',
  issue_url: item.is_pull ? '' : pageUrl(item, view),
})

function printPoster(
  { poster_id: id }: { poster_id: number | null },
  people: People,
  { viewer, host }: IssueView,
): User {
  return printUser((id !== null && people.get(id)) || ghost, viewer, host)
}

/** Gitea's IssueDeadline. */
export const IssueDeadline = shape('IssueDeadline', { due_date: v.nullable(moment) })

/** Gitea's NewIssuePinsAllowed. */
export const NewIssuePinsAllowed = shape('NewIssuePinsAllowed', {
  issues: v.boolean(),
  pull_requests: v.boolean(),
})
