import type { IssueHappening } from './event-store.ts'

/** The members of an issue whose change is an event. */
interface Editable {
  title: string
  ref: string
  is_open: boolean
  milestone: number | null
  due_at: string | Date | null
}

/** The events of an edit, in the order in which the timeline shows them. */
export function happeningsOfEdit(before: Editable, after: Editable): IssueHappening[] {
  return [
    ...(before.title === after.title
      ? []
      : [{ type: 'change_title', old_text: before.title, new_text: after.title } as const]),
    ...(before.ref === after.ref
      ? []
      : [{ type: 'change_issue_ref', old_text: before.ref, new_text: after.ref } as const]),
    ...happeningsOfDeadline(before.due_at, after.due_at),
    ...(before.milestone === after.milestone
      ? []
      : [{ type: 'milestone', old_subject: before.milestone, subject: after.milestone } as const]),
    ...(before.is_open === after.is_open ? [] : [{ type: after.is_open ? 'reopen' : 'close' } as const]),
  ]
}

/** The event of a changed deadline; another time of the same day is no change. */
export function happeningsOfDeadline(
  before: Editable['due_at'],
  after: Editable['due_at'],
): IssueHappening[] {
  const [old_text, new_text] = [dayOf(before), dayOf(after)]
  if (old_text === new_text) return []
  const type = old_text === '' ? 'added_deadline' : new_text === '' ? 'removed_deadline' : 'modified_deadline'
  return [{ type, old_text, new_text }]
}

const dayOf = (time: Editable['due_at']) =>
  time === null ? '' : new Date(time).toISOString().slice(0, 'YYYY-MM-DD'.length)

/** One event for each label or assignee that was added or removed, the added ones first. */
export function happeningsOfSet(
  type: 'label' | 'assignees',
  before: readonly number[],
  after: readonly number[],
): IssueHappening[] {
  const added = after.filter((id) => !before.includes(id))
  const removed = before.filter((id) => !after.includes(id))
  return [
    ...added.map((subject) => ({ type, subject })),
    ...removed.map((subject) => ({ type, subject, is_removal: true })),
  ]
}
