import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { moment, User } from '../accounts/user.shape.ts'
import { eventTypes } from '../issue-events/event-store.ts'
import { Issue } from '../issues/issue.shape.ts'
import { Label } from '../labels/label.shape.ts'
import { Milestone } from '../milestones/milestone.shape.ts'
import { Team } from '../orgs/team.shape.ts'

const never = v.null()
const zero = v.literal(0)

/** TimelineComment of the original. What does not exist here is constant. */
export const TimelineComment = shape('TimelineComment', {
  id: int,
  type: described(v.picklist(['comment', ...eventTypes]), 'What happened'),
  html_url: v.string(),
  pull_request_url: described(v.string(), 'Address of the page of the pull request; empty: it is none'),
  issue_url: described(v.string(), 'Address of the page of the issue; empty: it is a pull request'),
  user: described(User, 'Who did it'),
  body: described(
    v.string(),
    'Of a comment, its Markdown; of a lock, the reason; of a deadline, the day, or the new and the old day separated by |; of a label, 1 if it was added; of a push, the commits as JSON; of a review, its text',
  ),
  created_at: moment,
  updated_at: moment,
  old_project_id: zero,
  project_id: zero,
  old_milestone: described(v.nullable(Milestone), 'Null also if it was deleted'),
  milestone: described(v.nullable(Milestone), 'Null also if it was deleted'),
  tracked_time: never,
  old_title: v.string(),
  new_title: v.string(),
  old_ref: v.string(),
  new_ref: v.string(),
  ref_issue: never,
  ref_comment: never,
  ref_action: v.literal('none'),
  ref_commit_sha: described(v.string(), 'Of `commit_ref`: the commit whose message names the issue'),
  review_id: described(int, 'The review that was submitted or dismissed; 0: none'),
  label: described(v.nullable(Label), 'Null also if it was deleted'),
  assignee: described(v.nullable(User), 'Who was assigned or asked for a review, or is no longer'),
  assignee_team: described(v.nullable(Team), 'The team that was asked for a review, or is no longer'),
  removed_assignee: described(
    v.boolean(),
    'Whether `assignee` was removed, or the request to it or to `assignee_team`',
  ),
  resolve_doer: never,
  dependent_issue: described(
    v.nullable(Issue),
    'The other issue of a dependency; null also if the caller may not read it, or if it has been deleted',
  ),
})
export type TimelineComment = v.InferOutput<typeof TimelineComment>
