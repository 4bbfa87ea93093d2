import * as v from 'valibot'
import { int } from '../../http/route/values.ts'
import type { Account } from '../accounts/account.ts'
import { ghost } from '../accounts/ghost.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import { moment, printUser, User, type Viewer } from '../users/user.shape.ts'
import type { StoredComment } from './comment-store.ts'
import type { StoredIssue } from './issue-store.ts'
import type { StoredLabel } from './label-store.ts'

/** Label of the original, its members in the order in which they are sent. */
export const Label = v.object({
  id: int,
  name: v.string(),
  exclusive: v.boolean(),
  exclusive_order: int,
  is_archived: v.boolean(),
  color: v.string(),
  description: v.string(),
  url: v.string(),
})
export type Label = v.InferOutput<typeof Label>

/** Issue of the original. Milestones, deadlines, attachments, locks and pulls are not here, and say so. */
export const Issue = v.object({
  id: int,
  url: v.string(),
  html_url: v.string(),
  number: int,
  user: User,
  original_author: v.literal(''),
  original_author_id: v.literal(0),
  title: v.string(),
  body: v.string(),
  ref: v.string(),
  assets: v.tuple([]),
  labels: v.array(Label),
  milestone: v.null(),
  assignee: v.nullable(User),
  assignees: v.array(User),
  state: v.picklist(['open', 'closed']),
  is_locked: v.literal(false),
  comments: int,
  created_at: moment,
  updated_at: moment,
  closed_at: v.nullable(moment),
  due_date: v.null(),
  time_estimate: v.literal(0),
  pull_request: v.null(),
  repository: v.object({ id: int, name: v.string(), owner: v.string(), full_name: v.string() }),
  pin_order: v.literal(0),
})
export type Issue = v.InferOutput<typeof Issue>

/** Comment of the original. */
export const Comment = v.object({
  id: int,
  html_url: v.string(),
  pull_request_url: v.literal(''),
  issue_url: v.string(),
  user: User,
  original_author: v.literal(''),
  original_author_id: v.literal(0),
  body: v.string(),
  assets: v.tuple([]),
  created_at: moment,
  updated_at: moment,
})
export type Comment = v.InferOutput<typeof Comment>

/** The repository of an issue, as its links name it, and to whom it is shown; `host` is the root of links. */
export interface IssueSight {
  owner: Pick<Account, 'name'>
  repo: { id: number; name: string }
  viewer: Viewer
  host: string
}

/** Accounts by id; whoever is missing has gone. */
export type People = ReadonlyMap<number, Account>

export function printIssue(row: StoredIssue, people: People, sight: IssueSight): Issue {
  const { owner, repo, viewer, host } = sight
  const path = `${owner.name}/${repo.name}`
  const assignees = row.assignees.flatMap((id) => people.get(id) ?? [])
  const assigned = assignees.map((account) => printUser(account, viewer, host))
  return {
    id: row.id,
    url: `${host}api/v1/repos/${path}/issues/${row.number}`,
    html_url: pageOf(row, sight),
    number: row.number,
    user: printPoster(row, people, sight),
    original_author: '',
    original_author_id: 0,
    title: row.title,
    body: row.body,
    ref: row.ref,
    assets: [],
    labels: row.labels.map((label) => printLabel(label, sight)),
    milestone: null,
    assignee: assigned[0] ?? null,
    assignees: assigned,
    state: row.closed_at === null ? 'open' : 'closed',
    is_locked: false,
    comments: row.comments_count,
    created_at: printTime(row.created_at, EPOCH),
    updated_at: printTime(row.updated_at, EPOCH),
    closed_at: row.closed_at === null ? null : printTime(row.closed_at, EPOCH),
    due_date: null,
    time_estimate: 0,
    pull_request: null,
    repository: { id: repo.id, name: repo.name, owner: owner.name, full_name: path },
    pin_order: 0,
  }
}

export function printComment(row: StoredComment, people: People, sight: IssueSight): Comment {
  const page = pageOf(row, sight)
  return {
    id: row.id,
    html_url: `${page}#issuecomment-${row.id}`,
    pull_request_url: '',
    issue_url: page,
    user: printPoster(row, people, sight),
    original_author: '',
    original_author_id: 0,
    body: row.body,
    assets: [],
    created_at: printTime(row.created_at, EPOCH),
    updated_at: printTime(row.updated_at, EPOCH),
  }
}

export function printLabel(
  { id, name, exclusive, exclusive_order, is_archived, color, description }: StoredLabel,
  { owner, repo, host }: Pick<IssueSight, 'owner' | 'repo' | 'host'>,
): Label {
  const url = `${host}api/v1/repos/${owner.name}/${repo.name}/labels/${id}`
  return { id, name, exclusive, exclusive_order, is_archived, color, description, url }
}

/** Where people read an issue. */
function pageOf({ number }: { number: number }, { owner, repo, host }: IssueSight): string {
  return `${host}${owner.name}/${repo.name}/issues/${number}`
}

function printPoster(
  { poster_id: id }: { poster_id: number | null },
  people: People,
  { viewer, host }: IssueSight,
): User {
  return printUser((id !== null && people.get(id)) || ghost, viewer, host)
}
