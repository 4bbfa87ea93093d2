import { mapPage, type Page, type Paging } from '../../db/page.ts'
import { found } from '../../http/route/problem.ts'
import { escapeHtml } from '../../render/html/serialize.ts'
import { ghost } from '../accounts/ghost.ts'
import { printUser } from '../accounts/user.shape.ts'
import {
  type EventType,
  eventsByIds,
  pageOfEntries,
  type StoredEvent,
  type TimeRange,
} from '../issue-events/event-store.ts'
import { commentsByIds, type StoredComment } from '../issues/comment-store.ts'
import { readableIssues } from '../issues/dependency-store.ts'
import {
  type Comment,
  itemUrls,
  type People,
  pageUrl,
  printComment,
  printIssueElsewhere,
} from '../issues/issue.shape.ts'
import type { StoredIssue } from '../issues/issue-store.ts'
import { relationReader, viewOf } from '../issues/issue-view.ts'
import { peopleIn } from '../issues/people.ts'
import { printLabel } from '../labels/label.shape.ts'
import { labelsByIds } from '../labels/label-store.ts'
import { printMilestone } from '../milestones/milestone.shape.ts'
import { milestonesByIds } from '../milestones/milestone-store.ts'
import { printTeam } from '../orgs/team.shape.ts'
import { teamsByIds } from '../orgs/team-store.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import type { OnRepository } from '../repos/access.ts'
import type { ForgeContext } from '../route.ts'
import type { TimelineComment } from './timeline.shape.ts'

type Context = Pick<ForgeContext<OnRepository>, 'caller' | 'sql' | 'from'>

/** An entry as the API prints it; a comment also as the API prints comments. */
interface TimelineEntry {
  entry: TimelineComment
  comment: Comment | undefined
}

/** A page of the timeline of an issue of the caller's repository, as the caller may see it. */
export async function timelineOf(
  context: Context,
  issue: StoredIssue,
  range: TimeRange,
  paging: Paging,
): Promise<Page<TimelineEntry>> {
  const { sql } = context
  const page = await pageOfEntries(sql, issue.id, range, paging)
  const idsOf = (isComment: boolean) =>
    page.rows.flatMap(({ id, is_comment }) => (is_comment === isComment ? id : []))
  const comments = await commentsByIds(sql, idsOf(true))
  const events = await eventsByIds(sql, idsOf(false))
  const named = await namedIn(context, comments, events)
  const printed = new Map<number, TimelineEntry>()
  for (const row of comments) printed.set(row.id, commentEntry(context, row, named.people))
  for (const row of events)
    printed.set(row.id, { entry: eventEntry(context, issue, row, named), comment: undefined })
  // Leaves out what was deleted between the statements.
  const rows = page.rows.filter(({ id }) => printed.has(id))
  return mapPage({ ...page, rows }, ({ id }) => found(printed.get(id)))
}

type Named = Awaited<ReturnType<typeof namedIn>>

/** What the entries refer to, by kind. */
async function namedIn(
  { caller, sql }: Context,
  comments: readonly StoredComment[],
  events: readonly StoredEvent[],
) {
  const subjects = (...types: readonly EventType[]) =>
    events
      .filter(({ type }) => types.includes(type))
      .flatMap(({ subject_id, old_subject_id }) => [subject_id ?? [], old_subject_id ?? []].flat())
  const asked = events.filter(({ type }) => type === 'review_request')
  const accounts = [
    ...events.map(({ actor_id }) => actor_id),
    ...subjects('assignees'),
    ...asked.flatMap(({ subject_id }) => subject_id ?? []),
  ]
  const issues = await readableIssues(
    sql,
    relationReader(caller),
    subjects('add_dependency', 'remove_dependency'),
  )
  return {
    people: await peopleIn(sql, [...comments, ...issues, ...accounts.map((poster_id) => ({ poster_id }))]),
    labels: await labelsByIds(sql, caller.repo.id, subjects('label')),
    milestones: await milestonesByIds(sql, caller.repo.id, subjects('milestone')),
    teams: await teamsByIds(
      sql,
      asked.flatMap(({ old_subject_id }) => old_subject_id ?? []),
    ),
    issues,
  }
}

/** An entry with its members in the order in which they are sent; `details` has those that only some types have. */
const entryOf = (
  head: Pick<
    TimelineComment,
    'id' | 'type' | 'html_url' | 'pull_request_url' | 'issue_url' | 'user' | 'created_at' | 'updated_at'
  >,
  details: Partial<TimelineComment>,
): TimelineComment => ({
  id: head.id,
  type: head.type,
  html_url: head.html_url,
  pull_request_url: head.pull_request_url,
  issue_url: head.issue_url,
  user: head.user,
  body: '',
  created_at: head.created_at,
  updated_at: head.updated_at,
  old_project_id: 0,
  project_id: 0,
  old_milestone: null,
  milestone: null,
  tracked_time: null,
  old_title: '',
  new_title: '',
  old_ref: '',
  new_ref: '',
  ref_issue: null,
  ref_comment: null,
  ref_action: 'none',
  ref_commit_sha: '',
  review_id: 0,
  label: null,
  assignee: null,
  assignee_team: null,
  removed_assignee: false,
  resolve_doer: null,
  dependent_issue: null,
  ...details,
})

function commentEntry({ caller, from }: Context, row: StoredComment, people: People): TimelineEntry {
  const comment = printComment(row, people, viewOf(caller, from.host))
  const entry = entryOf({ ...comment, type: 'comment' }, { body: comment.body })
  return { entry, comment }
}

function eventEntry(context: Context, issue: StoredIssue, row: StoredEvent, named: Named): TimelineComment {
  const { caller, from } = context
  const page = pageUrl(issue, viewOf(caller, from.host))
  const time = printTime(row.created_at, EPOCH)
  const head = {
    id: row.id,
    type: row.type,
    html_url: `${page}#issuecomment-${row.id}`,
    ...itemUrls(issue, viewOf(caller, from.host)),
    user: printUser(named.people.get(row.actor_id) ?? ghost, caller.me, from.host),
    created_at: time,
    updated_at: time,
  }
  return entryOf(head, detailsOf(context, row, named))
}

/** As the original writes it: HTML. */
const commitLink = ({ subject, repo }: Context['caller'], commit: string, title: string) =>
  `<a href="/${subject.name}/${repo.name}/commit/${commit}">${escapeHtml(title)}</a>`

/** The members that only some types of entries have. */
function detailsOf(
  { caller, from: { host } }: Context,
  { type, subject_id, old_subject_id, old_text, new_text, is_removal }: StoredEvent,
  { people, labels, milestones, teams, issues }: Named,
): Partial<TimelineComment> {
  const view = viewOf(caller, host)
  const milestone = (subject: number | null) => {
    const row = milestones.find(({ id }) => id === subject)
    return row ? printMilestone(row) : null
  }
  switch (type) {
    case 'label': {
      const label = labels.find(({ id }) => id === subject_id)
      return { body: is_removal ? '' : '1', label: label ? printLabel(label, view) : null }
    }
    case 'milestone':
      return { old_milestone: milestone(old_subject_id), milestone: milestone(subject_id) }
    case 'assignees': {
      const account = people.get(subject_id ?? 0) ?? ghost
      return { assignee: printUser(account, caller.me, host), removed_assignee: is_removal }
    }
    case 'review':
    case 'dismiss_review':
      return { body: new_text, review_id: subject_id ?? 0 }
    case 'review_request': {
      const team = teams.find(({ id }) => id === old_subject_id)
      const account = subject_id === null ? undefined : (people.get(subject_id) ?? ghost)
      return {
        assignee: account ? printUser(account, caller.me, host) : null,
        assignee_team: team ? printTeam(team, host) : null,
        removed_assignee: is_removal,
      }
    }
    case 'commit_ref':
      return { body: commitLink(caller, old_text, new_text), ref_commit_sha: old_text }
    case 'change_title':
      return { old_title: old_text, new_title: new_text }
    case 'change_issue_ref':
    case 'change_target_branch':
    case 'delete_branch':
      return { old_ref: old_text, new_ref: new_text }
    case 'add_dependency':
    case 'remove_dependency': {
      const other = issues.find(({ id }) => id === subject_id)
      return { dependent_issue: other ? printIssueElsewhere(other, people, view) : null }
    }
    case 'modified_deadline':
      return { body: `${new_text}|${old_text}` }
    default:
      return { body: new_text || old_text }
  }
}
