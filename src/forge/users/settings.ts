import { json } from '../../http/route/sends.ts'
import { type Account, type Preferences, preferencesOf } from '../accounts/account-store.ts'
import { signedInFully } from '../auth/access.ts'
import { route } from '../route.ts'
import { editOneself } from './own-account.ts'
import { DEFAULT_THEME, UserSettings } from './settings.shape.ts'
import { UserSettingsOptions } from './user.option.ts'

export const getUserSettings = route('GET /user/settings', {
  summary: 'Settings of the caller',
  access: signedInFully('user'),
  returns: json(200, UserSettings),
  handler: async ({ caller: { me }, sql }) => printSettings(me, await preferencesOf(sql, me.id)),
})

export const updateUserSettings = route('PATCH /user/settings', {
  summary: 'Change settings of the caller; omitted members keep their values',
  access: signedInFully('user'),
  body: UserSettingsOptions,
  fails: [404],
  returns: json(200, UserSettings),
  handler: async (context) => {
    const { hide_email, hide_activity, ...texts } = context.body
    const edit = { ...texts, hides_email: hide_email, hides_activity: hide_activity }
    return editOneself(context, edit, async (tx, me) => printSettings(me, await preferencesOf(tx, me.id)))
  },
})

const printSettings = (
  user: Account,
  { theme, diff_view_style, hides_activity }: Preferences,
): UserSettings => ({
  full_name: user.full_name,
  website: user.website,
  description: user.description,
  location: user.location,
  language: user.language,
  theme: theme || DEFAULT_THEME,
  diff_view_style,
  hide_email: user.hides_email,
  hide_activity: hides_activity,
})
