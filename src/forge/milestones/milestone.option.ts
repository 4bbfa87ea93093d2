import {
  describedField,
  named,
  option,
  optionalDay,
  optionalMoment,
  optionalText,
  text,
} from '../protocol/fields.ts'
import { maxSize, notBlank, oneOf, required } from '../protocol/rules.ts'

const TITLE_MAX = 255
/** The same as for texts of issues. */
const DESCRIPTION_MAX = 65_536

const state = () =>
  describedField(
    optionalText(oneOf(['', 'open', 'closed'])),
    'Empty: `open` when creating, and no change when editing',
  )

/** Gitea's CreateMilestoneOption. */
export const CreateMilestoneOption = option('CreateMilestoneOption', {
  title: text(required, notBlank, maxSize(TITLE_MAX)),
  description: text(maxSize(DESCRIPTION_MAX)),
  due_on: describedField(named('Deadline', optionalMoment()), 'When it is due'),
  state: state(),
})

/** Gitea's EditMilestoneOption; absent members keep their value. */
export const EditMilestoneOption = option('EditMilestoneOption', {
  title: describedField(optionalText(maxSize(TITLE_MAX)), 'Empty: unchanged'),
  description: optionalText(maxSize(DESCRIPTION_MAX)),
  due_on: describedField(
    named('Deadline', optionalDay()),
    'The day at whose end it is due; the empty text or the zero time: no due date',
  ),
  state: state(),
})
