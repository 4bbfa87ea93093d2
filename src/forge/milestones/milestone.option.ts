import {
  describedField,
  named,
  option,
  optionalDay,
  optionalMoment,
  optionalText,
  text,
} from '../protocol/fields.ts'
import { maxSize, type Rule, required } from '../protocol/rules.ts'

const TITLE_MAX = 255
/** The same as for texts of issues. */
const DESCRIPTION_MAX = 65_536

/** Blanks around a title are cut. */
const notBlank: Rule = { word: 'Required', holds: (title) => title.trim() !== '' }

const state = () =>
  describedField(
    optionalText(),
    '`open` or `closed`; any other text of a new one means `open`, of an old one: it stays',
  )

/** Gitea's CreateMilestoneOption. */
export const CreateMilestoneOption = option('CreateMilestoneOption', {
  title: text(required, notBlank, maxSize(TITLE_MAX)),
  description: text(maxSize(DESCRIPTION_MAX)),
  due_on: describedField(named('Deadline', optionalMoment()), 'When it is to be done'),
  state: state(),
})

/** Gitea's EditMilestoneOption; absent members keep their value. */
export const EditMilestoneOption = option('EditMilestoneOption', {
  title: describedField(optionalText(maxSize(TITLE_MAX)), 'Empty: it stays'),
  description: optionalText(maxSize(DESCRIPTION_MAX)),
  due_on: describedField(
    named('Deadline', optionalDay()),
    'The day at whose end it is to be done; the empty text or the zero time: no day',
  ),
  state: state(),
})
