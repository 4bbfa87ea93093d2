import { found } from '../../http/route/problem.ts'
import {
  type Account,
  type AccountEdit,
  type Preferences,
  preferencesOf,
  updateAccount,
} from '../accounts/account.ts'
import { refuseSystem } from '../accounts/system-account.ts'
import { accountTarget, record } from '../admin/audit-trail.ts'
import { signedInFully } from '../auth/access.ts'
import { route } from '../route.ts'
import { UserSettings, UserSettingsOptions } from './settings.shape.ts'

export const getUserSettings = route('GET /user/settings', {
  summary: 'Settings of the user who asks',
  access: signedInFully('user'),
  returns: [200, UserSettings],
  handler: async ({ caller: { me }, sql }) => printSettings(me, await preferencesOf(sql, me.id)),
})

export const updateUserSettings = route('PATCH /user/settings', {
  summary: 'Change settings of the user who asks; what is not given stays',
  access: signedInFully('user'),
  body: UserSettingsOptions,
  fails: [404],
  returns: [200, UserSettings],
  handler: async (context) => {
    const { begin, body, caller } = context
    refuseSystem(caller.me)
    const { hide_email, hide_activity, ...texts } = body
    const edit = given({ ...texts, hides_email: hide_email, hides_activity: hide_activity })
    return begin(async (tx) => {
      const { id } = caller.me
      if (Object.keys(edit).length === 0) return printSettings(caller.me, await preferencesOf(tx, id))
      const me = found(await updateAccount(tx, id, edit))
      await record(tx, context, { action: 'user.edited', target: accountTarget(me), details: { ...edit } })
      return printSettings(me, await preferencesOf(tx, id))
    })
  },
})

/** Without the members that the request does not have. */
function given(edit: { [Column in keyof AccountEdit]: AccountEdit[Column] | undefined }): AccountEdit {
  return Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined))
}

const printSettings = (
  user: Account,
  { theme, diff_view_style, hides_activity }: Preferences,
): UserSettings => ({
  full_name: user.full_name,
  website: user.website,
  description: user.description,
  location: user.location,
  language: user.language,
  theme,
  diff_view_style,
  hide_email: user.hides_email,
  hide_activity: hides_activity,
})
