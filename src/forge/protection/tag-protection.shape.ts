import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { describedField, option, optionalText, optionalTexts, text } from '../protocol/fields.ts'
import { maxSize } from '../protocol/rules.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import { moment } from '../users/user.shape.ts'
import type { TagProtection as Stored } from './tag-protection-store.ts'

const pattern = 'Glob of tags, such as `v*`, or a regular expression between slashes'

/** TagProtection of the original. */
export const TagProtection = shape('TagProtection', {
  id: int,
  name_pattern: described(v.string(), pattern),
  whitelist_usernames: v.array(v.string()),
  whitelist_teams: v.array(v.string()),
  created_at: moment,
  updated_at: moment,
})
type TagProtection = v.InferOutput<typeof TagProtection>

const users = () =>
  describedField(
    optionalTexts(),
    'Names of users who may create, move and delete these tags; those who may not write to the code are left out',
  )
const teams = () =>
  describedField(optionalTexts(), 'Names of teams that read the code; a repository of a user has none')

/** CreateTagProtectionOption of the original. */
export const CreateTagProtectionOption = option('CreateTagProtectionOption', {
  name_pattern: describedField(text(maxSize(255)), pattern),
  whitelist_usernames: users(),
  whitelist_teams: teams(),
})

/** EditTagProtectionOption of the original. */
export const EditTagProtectionOption = option('EditTagProtectionOption', {
  name_pattern: describedField(optionalText(maxSize(255)), pattern),
  whitelist_usernames: users(),
  whitelist_teams: teams(),
})

export const printTagProtection = (rule: Stored): TagProtection => ({
  id: rule.id,
  name_pattern: rule.name_pattern,
  whitelist_usernames: rule.whitelist_usernames,
  whitelist_teams: rule.whitelist_teams,
  created_at: printTime(rule.created_at, EPOCH),
  updated_at: printTime(rule.updated_at, EPOCH),
})
