import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described } from '../../http/route/values.ts'
import { WITHOUT_EFFECT } from '../repos/repo.shape.ts'

export const HIDES_ACTIVITY =
  'Whether only the account itself and administrators see its activity on its page and in its feed'

const textWithoutEffect = described(v.string(), WITHOUT_EFFECT)

/** The theme of who has chosen none; clients know it. */
export const DEFAULT_THEME = 'gitea-auto'

/** UserSettings of the specification, with its members in the order in which they are sent. */
export const UserSettings = shape('UserSettings', {
  full_name: v.string(),
  website: v.string(),
  description: v.string(),
  location: v.string(),
  language: textWithoutEffect,
  theme: textWithoutEffect,
  diff_view_style: textWithoutEffect,
  hide_email: described(v.boolean(), 'Whether others see a placeholder instead of the address'),
  hide_activity: described(v.boolean(), HIDES_ACTIVITY),
})
export type UserSettings = v.InferOutput<typeof UserSettings>
