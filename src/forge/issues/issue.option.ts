import {
  aFlag,
  integers,
  labelList,
  option,
  someFlag,
  someSmallInteger,
  someText,
  someTexts,
  text,
} from '../protocol/fields.ts'
import { maxSize, oneOf, required } from '../protocol/rules.ts'

const TITLE_MAX = 255
/** Issue lists contain whole bodies, so this also bounds the size of a page. Other forges have the same limit. */
const BODY_MAX = 65_536
const REF_MAX = 255

/** Gitea's CreateIssueOption without milestones and deadlines. */
export const CreateIssueOption = option({
  title: text(required, maxSize(TITLE_MAX)),
  body: text(maxSize(BODY_MAX)),
  /** A branch or tag; stored as given, without a check that it exists. */
  ref: text(maxSize(REF_MAX)),
  /** One more assignee; older clients send it instead of `assignees`. */
  assignee: text(),
  assignees: someTexts(),
  labels: integers(),
  closed: aFlag(),
})

/**
 * Gitea's EditIssueOption without milestones and deadlines. Absent members keep their value; so does an empty title.
 */
export const EditIssueOption = option({
  title: someText(maxSize(TITLE_MAX)),
  body: someText(maxSize(BODY_MAX)),
  ref: someText(maxSize(REF_MAX)),
  assignee: someText(),
  assignees: someTexts(),
  state: someText(oneOf(['open', 'closed'])),
})

/** Gitea's CreateIssueCommentOption and EditIssueCommentOption. */
export const CreateIssueCommentOption = option({ body: text(required, maxSize(BODY_MAX)) })
export const EditIssueCommentOption = option({ body: text(required, maxSize(BODY_MAX)) })

/** Gitea's IssueLabelsOption: labels by ids or names. */
export const IssueLabelsOption = option({ labels: labelList() })

const LABEL_NAME_MAX = 255
const LABEL_DESCRIPTION_MAX = 1024

/** Gitea's CreateLabelOption; the colour has three or six hex digits, with or without `#`. */
export const CreateLabelOption = option({
  name: text(required, maxSize(LABEL_NAME_MAX)),
  color: text(required),
  description: text(maxSize(LABEL_DESCRIPTION_MAX)),
  exclusive: aFlag(),
  exclusive_order: someSmallInteger(),
  is_archived: aFlag(),
})

/** Gitea's EditLabelOption; absent members keep their value. */
export const EditLabelOption = option({
  name: someText(required, maxSize(LABEL_NAME_MAX)),
  color: someText(),
  description: someText(maxSize(LABEL_DESCRIPTION_MAX)),
  exclusive: someFlag(),
  exclusive_order: someSmallInteger(),
  is_archived: someFlag(),
})
