import type { Account } from '../../forge/accounts/account-store.ts'
import { isVisibility, type VISIBILITIES } from '../../forge/accounts/visibility.ts'
import { editOneself } from '../../forge/users/own-account.ts'
import { UserSettingsOptions } from '../../forge/users/settings.shape.ts'
import type { HandlerBase } from '../../http/route/route.ts'
import { field } from '../form.ts'
import { html } from '../html.ts'
import { type PageTools, route } from '../route.ts'
import { faultsOf, type Outcome, outcomeOf, replyTo, sent, shown, type Texts } from './form-reply.ts'
import type { Person } from './person.ts'
import { choice, sentField, settingsPage, tick } from './settings-page.ts'

type Context = HandlerBase<PageTools> & { caller: Person }

export const getProfileSettings = route('GET /settings', {
  ...shown,
  summary: 'What others see of one’s account, to change it',
  handler: ({ query, ...context }) => profilePage(context, outcomeOf(query)),
})

export const changeProfile = route('POST /settings', {
  ...sent,
  summary: 'Change what others see of one’s account',
  handler: ({ body, ...context }) =>
    replyTo(
      body,
      `${context.from.host}settings?done=1`,
      () => change(context, body),
      (outcome) => profilePage(context, outcome),
    ),
})

async function change(context: Context, body: Texts): Promise<Texts | undefined> {
  const { full_name = '', description = '', website = '', location = '', visibility = '' } = body
  const texts = { full_name, description, website, location }
  const faults = faultsOf(UserSettingsOptions, texts)
  if (faults) return faults
  if (!isVisibility(visibility)) return { '': 'Choose who sees your account.' }
  const edit = { ...texts, visibility, hides_email: body.hide_email !== undefined }
  await editOneself(context, changed(context.caller.me, edit), async () => undefined)
  return undefined
}

/** Only what differs: the audit trail says what was changed. */
const changed = (me: Account, edit: Partial<Account>) =>
  Object.fromEntries(Object.entries(edit).filter(([name, value]) => me[name as keyof Account] !== value))

const visibilities = {
  public: 'Everybody',
  limited: 'Everybody who is signed in',
  private: 'Administrators and I',
} as const satisfies Readonly<Record<(typeof VISIBILITIES)[number], string>>

function profilePage({ caller, from: { host } }: Context, outcome: Outcome): string {
  const { me } = caller
  const wasSent = Object.keys(outcome.values).length > 0
  const hidesEmail = wasSent ? outcome.values.hide_email !== undefined : me.hides_email
  const main = html`<form class="card" method="post" action="${host}settings">
${field({ label: 'Full name', isOptional: true, autocomplete: 'name', ...sentField(outcome, 'full_name', me.full_name) })}
${field({ label: 'Description', isOptional: true, hint: 'A sentence about you', ...sentField(outcome, 'description', me.description) })}
${field({ label: 'Website', isOptional: true, type: 'url', autocomplete: 'url', ...sentField(outcome, 'website', me.website) })}
${field({ label: 'Place', isOptional: true, ...sentField(outcome, 'location', me.location) })}
${choice({ name: 'visibility', label: 'Who sees your account', value: outcome.values.visibility ?? me.visibility, options: visibilities })}
${tick('hide_email', 'Show others a placeholder instead of my e-mail address', hidesEmail)}
<button>Save the profile</button>
</form>
<p class="meta">Your page is <a href="${host}${me.name}">${host}${me.name}</a>. Administrators can rename accounts.</p>`
  return settingsPage({ host, caller, section: 'settings', outcome, done: 'Your profile is saved.', main })
}
