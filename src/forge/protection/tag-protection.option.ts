import { describedField, option, optionalText, optionalTexts, text } from '../protocol/fields.ts'
import { maxSize } from '../protocol/rules.ts'
import { PATTERN } from './tag-protection.shape.ts'

const users = () =>
  describedField(
    optionalTexts(),
    'Names of users who may create, move and delete these tags; the server ignores those who may not write to the code',
  )
const teams = () =>
  describedField(optionalTexts(), 'Names of teams that read the code; a repository of a user has none')

/** CreateTagProtectionOption of the original. */
export const CreateTagProtectionOption = option('CreateTagProtectionOption', {
  name_pattern: describedField(text(maxSize(255)), PATTERN),
  whitelist_usernames: users(),
  whitelist_teams: teams(),
})

/** EditTagProtectionOption of the original. */
export const EditTagProtectionOption = option('EditTagProtectionOption', {
  name_pattern: describedField(optionalText(maxSize(255)), PATTERN),
  whitelist_usernames: users(),
  whitelist_teams: teams(),
})
