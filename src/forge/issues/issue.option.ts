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
/** Lists carry the whole texts, so the size of one bounds that of a page. Clients know this bound from other forges. */
const BODY_MAX = 65_536
const REF_MAX = 255

/** CreateIssueOption of the original, without milestones and deadlines. */
export const CreateIssueOption = option({
  title: text(required, maxSize(TITLE_MAX)),
  body: text(maxSize(BODY_MAX)),
  /** A branch or tag; kept as it is, whether there is one of that name or not. */
  ref: text(maxSize(REF_MAX)),
  /** As in older clients: one more of `assignees`. */
  assignee: text(),
  assignees: someTexts(),
  labels: integers(),
  closed: aFlag(),
})

/** EditIssueOption of the original, likewise; what is not given stays, and so does an empty title. */
export const EditIssueOption = option({
  title: someText(maxSize(TITLE_MAX)),
  body: someText(maxSize(BODY_MAX)),
  ref: someText(maxSize(REF_MAX)),
  assignee: someText(),
  assignees: someTexts(),
  state: someText(oneOf(['open', 'closed'])),
})

/** CreateIssueCommentOption and EditIssueCommentOption of the original. */
export const CreateIssueCommentOption = option({ body: text(required, maxSize(BODY_MAX)) })
export const EditIssueCommentOption = option({ body: text(required, maxSize(BODY_MAX)) })

/** IssueLabelsOption of the original: labels by ids or names. */
export const IssueLabelsOption = option({ labels: labelList() })

const LABEL_NAME_MAX = 255
const LABEL_DESCRIPTION_MAX = 1024

/** CreateLabelOption of the original; the colour may have three or six digits, and a `#` before them. */
export const CreateLabelOption = option({
  name: text(required, maxSize(LABEL_NAME_MAX)),
  color: text(required),
  description: text(maxSize(LABEL_DESCRIPTION_MAX)),
  exclusive: aFlag(),
  exclusive_order: someSmallInteger(),
  is_archived: aFlag(),
})

/** EditLabelOption of the original; what is not given stays. */
export const EditLabelOption = option({
  name: someText(required, maxSize(LABEL_NAME_MAX)),
  color: someText(),
  description: someText(maxSize(LABEL_DESCRIPTION_MAX)),
  exclusive: someFlag(),
  exclusive_order: someSmallInteger(),
  is_archived: someFlag(),
})
