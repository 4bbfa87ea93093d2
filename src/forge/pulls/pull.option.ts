import { BODY_MAX, readVersion, TITLE_MAX } from '../issues/issue.option.ts'
import {
  describedField,
  flag,
  integer,
  integers,
  named,
  option,
  optionalDay,
  optionalFlag,
  optionalInteger,
  optionalIntegers,
  optionalMoment,
  optionalText,
  optionalTexts,
  text,
  texts,
} from '../protocol/fields.ts'
import { maxSize, notBlank, oneOf, required } from '../protocol/rules.ts'

const onlyWriters = 'Only callers who may write to pull requests can set it; from others it is ignored'

/** CreatePullRequestOption of the original. */
export const CreatePullRequestOption = option('CreatePullRequestOption', {
  head: describedField(text(required), 'What is proposed: `branch`, `owner:branch` or `owner/repo:branch`'),
  base: describedField(text(required), 'The branch into which it is to be merged'),
  title: text(required, notBlank, maxSize(TITLE_MAX)),
  body: describedField(text(maxSize(BODY_MAX)), 'Markdown'),
  assignee: describedField(text(), 'One more assignee, for clients that know only one'),
  assignees: describedField(optionalTexts(), `Names of users. ${onlyWriters}`),
  milestone: describedField(integer(), `Id of a milestone; 0: none. ${onlyWriters}`),
  labels: describedField(integers(), `Ids of labels. ${onlyWriters}`),
  due_date: describedField(named('Deadline', optionalMoment()), `The deadline. ${onlyWriters}`),
  reviewers: describedField(texts(), 'Names of users who are asked for a review'),
  team_reviewers: describedField(texts(), 'Names of teams of the organization that are asked for a review'),
  allow_maintainer_edit: describedField(
    optionalFlag(),
    'Whether those who may write to the base repository may push to the head branch; absent: the default of the repository',
  ),
})

/** EditPullRequestOption of the original. Absent members keep their value; so does an empty title. */
export const EditPullRequestOption = option('EditPullRequestOption', {
  title: describedField(optionalText(notBlank, maxSize(TITLE_MAX)), 'Empty: unchanged'),
  body: describedField(optionalText(maxSize(BODY_MAX)), 'Markdown'),
  content_version: readVersion,
  base: describedField(text(), 'Another branch into which it is to be merged; empty: unchanged'),
  assignee: describedField(optionalText(), 'The only assignee; empty: unchanged'),
  assignees: describedField(optionalTexts(), 'All assignees, by name; an empty list: none'),
  milestone: describedField(optionalInteger(), `Id of a milestone; 0: unchanged. ${onlyWriters}`),
  labels: describedField(optionalIntegers(), `Ids of all its labels. ${onlyWriters}`),
  state: optionalText(oneOf(['open', 'closed'])),
  due_date: describedField(
    named('Deadline', optionalDay()),
    `The deadline: the end of this day. ${onlyWriters}`,
  ),
  unset_due_date: describedField(named('RemoveDeadline', flag()), 'Whether the deadline is removed'),
  allow_maintainer_edit: optionalFlag(),
})
