import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { moment } from '../accounts/user.shape.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import type { TagProtection as Stored } from './tag-protection-store.ts'

export const PATTERN = 'Glob of tags, such as `v*`, or a regular expression between slashes'

/** TagProtection of the original. */
export const TagProtection = shape('TagProtection', {
  id: int,
  name_pattern: described(v.string(), PATTERN),
  whitelist_usernames: v.array(v.string()),
  whitelist_teams: v.array(v.string()),
  created_at: moment,
  updated_at: moment,
})
type TagProtection = v.InferOutput<typeof TagProtection>

export const printTagProtection = (rule: Stored): TagProtection => ({
  id: rule.id,
  name_pattern: rule.name_pattern,
  whitelist_usernames: rule.whitelist_usernames,
  whitelist_teams: rule.whitelist_teams,
  created_at: printTime(rule.created_at, EPOCH),
  updated_at: printTime(rule.updated_at, EPOCH),
})
