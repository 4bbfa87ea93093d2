import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described } from '../../http/route/values.ts'
import { describedField, option, optionalFlag, optionalText } from '../protocol/fields.ts'
import { maxSize, url } from '../protocol/rules.ts'
import { WITHOUT_EFFECT } from '../repos/repo.shape.ts'

const keptText = described(v.string(), WITHOUT_EFFECT)

/** The theme of who has chosen none; clients know it. */
export const DEFAULT_THEME = 'gitea-auto'

/** UserSettings of the specification, with its members in the order in which they are sent. */
export const UserSettings = shape('UserSettings', {
  full_name: v.string(),
  website: v.string(),
  description: v.string(),
  location: v.string(),
  language: keptText,
  theme: keptText,
  diff_view_style: keptText,
  hide_email: described(v.boolean(), 'Whether others see a placeholder instead of the address'),
  hide_activity: described(v.boolean(), WITHOUT_EFFECT),
})
export type UserSettings = v.InferOutput<typeof UserSettings>

const kept = () => describedField(optionalText(maxSize(255)), WITHOUT_EFFECT)

/** UserSettingsOptions of the specification. */
export const UserSettingsOptions = option('UserSettingsOptions', {
  full_name: optionalText(maxSize(100)),
  website: optionalText(url, maxSize(255)),
  description: optionalText(maxSize(255)),
  location: optionalText(maxSize(50)),
  language: kept(),
  theme: kept(),
  diff_view_style: kept(),
  hide_email: describedField(optionalFlag(), 'Whether others see a placeholder instead of the address'),
  hide_activity: describedField(optionalFlag(), WITHOUT_EFFECT),
})
export type UserSettingsOptions = v.InferOutput<typeof UserSettingsOptions>
