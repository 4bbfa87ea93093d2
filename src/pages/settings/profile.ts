import { done, failed } from '../../common/outcome.ts'
import { type Account, type Preferences, preferencesOf } from '../../forge/accounts/account-store.ts'
import { isVisibility, type VISIBILITIES } from '../../forge/accounts/visibility.ts'
import { editOneself } from '../../forge/users/own-account.ts'
import { UserSettingsOptions } from '../../forge/users/user.option.ts'
import { choice, type Fields, field, tick } from '../form.ts'
import { html } from '../html.ts'
import { route } from '../route.ts'
import {
  type Change,
  type FormState,
  faultsOf,
  replyTo,
  type SettingsContext,
  sent,
  sentField,
  shown,
  stateOf,
} from './form-reply.ts'
import { settingsPage } from './settings-page.ts'

const section = 'settings'

export const getProfileSettings = route('GET /settings', {
  ...shown,
  summary: 'What others see of one’s account, to change it',
  handler: ({ query, ...context }) => profilePage(context, stateOf(query)),
})

export const changeProfile = route('POST /settings', {
  ...sent,
  summary: 'Change what others see of one’s account',
  handler: ({ body, ...context }) => replyTo(context, body, { section, change, show: profilePage }),
})

async function change(context: SettingsContext, fields: Fields): Promise<Change> {
  const { full_name = '', description = '', website = '', location = '', visibility = '' } = fields
  const texts = { full_name, description, website, location }
  const faults = faultsOf(UserSettingsOptions, texts)
  if (faults) return failed(faults)
  if (!isVisibility(visibility)) return failed({ '': 'Choose who sees your account.' })
  const edit = {
    ...texts,
    visibility,
    hides_email: fields.hide_email !== undefined,
    hides_activity: fields.hide_activity !== undefined,
  }
  const { me } = context.caller
  const stored = { ...me, ...(await preferencesOf(context.sql, me.id)) }
  await editOneself(context, changed(stored, edit), async () => undefined)
  return done(undefined)
}

/** Only what differs: the audit trail says what was changed. */
const changed = (stored: Account & Preferences, edit: Partial<Account & Preferences>) =>
  Object.fromEntries(
    Object.entries(edit).filter(([name, value]) => stored[name as keyof typeof stored] !== value),
  )

const visibilities = {
  public: 'Everybody',
  limited: 'Everybody who is signed in',
  private: 'Administrators and I',
} as const satisfies Readonly<Record<(typeof VISIBILITIES)[number], string>>

async function profilePage(context: SettingsContext, state: FormState): Promise<string> {
  const { host } = context.from
  const { me } = context.caller
  const wasSent = Object.keys(state.values).length > 0
  const { hides_activity } = await preferencesOf(context.sql, me.id)
  const isOn = (name: 'hide_email' | 'hide_activity', stored: boolean) =>
    wasSent ? state.values[name] !== undefined : stored
  const main = html`<form class="card" method="post" action="${host}${section}">
${field({ label: 'Full name', isOptional: true, autocomplete: 'name', ...sentField(state, 'full_name', me.full_name) })}
${field({ label: 'Description', isOptional: true, hint: 'A sentence about you', ...sentField(state, 'description', me.description) })}
${field({ label: 'Website', isOptional: true, type: 'url', autocomplete: 'url', ...sentField(state, 'website', me.website) })}
${field({ label: 'Place', isOptional: true, ...sentField(state, 'location', me.location) })}
${choice({ name: 'visibility', label: 'Who sees your account', value: state.values.visibility ?? me.visibility, options: visibilities })}
${tick({ name: 'hide_email', label: 'Show others a placeholder instead of my e-mail address', isOn: isOn('hide_email', me.hides_email) })}
${tick({ name: 'hide_activity', label: 'Hide my activity, on my page and in my feed, from others', isOn: isOn('hide_activity', hides_activity) })}
<button>Save the profile</button>
</form>
<p class="meta">Your page is <a href="${host}${me.name}">${host}${me.name}</a>. Administrators can rename accounts.</p>`
  return settingsPage(context, { section, state, done: 'Your profile is saved.', main })
}
