import {
  describedField,
  flag,
  integer,
  integers,
  named,
  option,
  optionalDay,
  optionalInteger,
  optionalMoment,
  optionalText,
  optionalTexts,
  text,
  texts,
} from '../protocol/fields.ts'
import { maxSize, notBlank, oneOf, required } from '../protocol/rules.ts'

export const TITLE_MAX = 255
/** Issue lists contain whole bodies, so this also bounds the size of a page. Other forges have the same limit. */
export const BODY_MAX = 65_536
const REF_MAX = 255

const onlyWriters = 'Only callers who may write to issues can set it; from others it is ignored'

/** Gitea's CreateIssueOption. */
export const CreateIssueOption = option('CreateIssueOption', {
  title: text(required, notBlank, maxSize(TITLE_MAX)),
  body: describedField(text(maxSize(BODY_MAX)), 'Markdown'),
  ref: describedField(text(maxSize(REF_MAX)), 'A branch or tag that the issue is about; it need not exist'),
  assignee: describedField(text(), 'One more assignee, for clients that know only one'),
  assignees: describedField(optionalTexts(), `Names of users. ${onlyWriters}`),
  labels: describedField(integers(), `Ids of labels. ${onlyWriters}`),
  milestone: describedField(integer(), `Id of a milestone; 0: none. ${onlyWriters}`),
  due_date: describedField(named('Deadline', optionalMoment()), `The deadline. ${onlyWriters}`),
  closed: describedField(flag(), 'Whether the issue is closed at once'),
})

/** So that nobody overwrites a text that they have not read. */
export const readVersion = describedField(
  optionalInteger(),
  'The version of the text that the caller has read; refused if it has changed since',
)

/** Gitea's EditIssueOption. Absent members keep their value; so does an empty title. */
export const EditIssueOption = option('EditIssueOption', {
  title: describedField(optionalText(notBlank, maxSize(TITLE_MAX)), 'Empty: unchanged'),
  body: describedField(optionalText(maxSize(BODY_MAX)), 'Markdown'),
  content_version: readVersion,
  ref: describedField(
    optionalText(maxSize(REF_MAX)),
    'A branch or tag that the issue is about; it need not exist',
  ),
  assignee: describedField(optionalText(), 'The only assignee; empty: none'),
  assignees: describedField(optionalTexts(), 'All assignees, by name; an empty list: none'),
  milestone: describedField(optionalInteger(), `Id of a milestone; 0: none. ${onlyWriters}`),
  due_date: describedField(
    named('Deadline', optionalDay()),
    `The deadline: the end of this day. ${onlyWriters}`,
  ),
  unset_due_date: describedField(named('RemoveDeadline', flag()), 'Whether the deadline is removed'),
  state: optionalText(oneOf(['open', 'closed'])),
})

/** Gitea's CreateIssueCommentOption and EditIssueCommentOption. */
export const CreateIssueCommentOption = option('CreateIssueCommentOption', {
  body: text(required, maxSize(BODY_MAX)),
})
export const EditIssueCommentOption = option('EditIssueCommentOption', {
  body: text(required, maxSize(BODY_MAX)),
})

/** Gitea's IssueAssigneesOption. */
export const IssueAssigneesOption = option('IssueAssigneesOption', {
  assignees: describedField(texts(), 'Names of users; absent or an empty list: none'),
})

/** Gitea's EditDeadlineOption. */
export const EditDeadlineOption = option('EditDeadlineOption', {
  due_date: describedField(
    named('Deadline', optionalDay()),
    'The deadline: the end of this day; absent, null or empty: none',
  ),
})

const REASON_MAX = 255

/** Gitea's LockIssueOption. */
export const LockIssueOption = option('LockIssueOption', {
  lock_reason: describedField(named('Reason', text(maxSize(REASON_MAX))), 'For the audit trail'),
})

/** Gitea's EditReactionOption. */
export const EditReactionOption = option('EditReactionOption', {
  content: describedField(text(), 'One of the short names that `GET /settings/ui` lists, such as `heart`'),
})

/** Gitea's IssueMeta. */
export const IssueMeta = option('IssueMeta', {
  index: describedField(integer(), 'Number of the other issue in its repository'),
  owner: describedField(text(), 'Owner of the other issue; empty: the same'),
  repo: describedField(named('Name', text()), 'Repository of the other issue; empty: the same name'),
})
