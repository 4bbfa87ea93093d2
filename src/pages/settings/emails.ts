import { mailPreference, PREFERENCES, upsertMailPreference } from '../../forge/letters/preference-store.ts'
import { addAddresses, makePrimary, removeAddresses } from '../../forge/users/email-changes.ts'
import { type ListedAddress, pageOfOwnAddresses } from '../../forge/users/email-list-store.ts'
import { pageQuery } from '../../http/route/page.ts'
import { unprocessable } from '../../http/route/problem.ts'
import { askedForm, buttonForm, choice, type Fields, field, hiddenFields, unknownAction } from '../form.ts'
import { type Html, html } from '../html.ts'
import { card } from '../layout.ts'
import { rowOf } from '../list.ts'
import { route } from '../route.ts'
import {
  besides,
  type Change,
  type FormState,
  ofForm,
  replyTo,
  type SettingsContext,
  sent,
  sentField,
  shown,
  stateOf,
} from './form-reply.ts'
import { listSection, settingsPage } from './settings-page.ts'

const section = 'settings/emails'

export const getEmailSettings = route('GET /settings/emails', {
  ...shown,
  query: { ...shown.query, page: pageQuery().page },
  summary: 'One’s e-mail addresses',
  handler: ({ query, ...context }) => emailsPage(context, stateOf(query), query.page),
})

export const changeEmails = route('POST /settings/emails', {
  ...sent,
  summary: 'Add or remove an e-mail address, or make one the primary one',
  fails: [400],
  handler: ({ body, ...context }) => replyTo(context, body, { section, change, show: emailsPage }),
})

function change(context: SettingsContext, { action, email = '', preference }: Fields): Promise<Change> {
  if (action === 'add') return besides('email', addAddresses(context, [email.trim()]))
  if (action === 'preference') return besides('', setPreference(context, preference))
  if (action === 'remove') return besides('', removeAddresses(context, [email]))
  if (action === 'make-primary') return besides('', makePrimary(context, email))
  throw unknownAction()
}

/** @throws Problem 422 */
async function setPreference({ begin, caller }: SettingsContext, chosen: string | undefined): Promise<void> {
  const preference = PREFERENCES.find((each) => each === chosen)
  if (!preference) throw unprocessable('choose one of the list')
  await begin((tx) => upsertMailPreference(tx, caller.me.id, preference))
}

const choices: Readonly<Record<(typeof PREFERENCES)[number], string>> = {
  enabled: 'All notifications',
  onmention: 'Where I am named, assigned or asked for a review',
  andyourown: 'All notifications, and what I do myself',
  disabled: 'None',
}

const sendsNothing = html`<p class="meta">The server sends no mail. You can sign in with each of your addresses, and commits that carry one are shown as yours.</p>`
const sendsMail = html`<p class="meta">A new address gets a mail with a link; it is used for nothing before you have confirmed it there. To get another link, remove the address and add it again.</p>`

async function emailsPage(context: SettingsContext, state: FormState, page = 1): Promise<string> {
  const { caller, sql, from, tools } = context
  const address = `${from.host}${section}`
  const list = await pageOfOwnAddresses(sql, caller.me.id, { page, limit: 50 })
  const main = html`${listSection({ title: 'Your addresses', noun: ['address', 'addresses'], list, address, entryOf: (row) => entry(row, address) })}
${card('add', 'Add an address')`<form method="post" action="${address}">
${hiddenFields({ action: 'add' })}
${field({ label: 'E-mail address', type: 'email', autocomplete: 'email', ...sentField(ofForm(state, 'add'), 'email') })}
<button>Add the address</button>
</form>`}
${tools.sendsMail ? html`${sendsMail}${card('mails', 'Mails of notifications')`${await preferenceForm(context, address)}`}` : sendsNothing}`
  return settingsPage(context, { section, state, done: 'Your addresses are changed.', main })
}

async function preferenceForm({ sql, caller }: SettingsContext, address: string): Promise<Html> {
  const chosen = await mailPreference(sql, caller.me.id)
  return html`<form method="post" action="${address}">
${hiddenFields({ action: 'preference' })}
${choice({ name: 'preference', label: 'Send me mails of', value: chosen, options: choices })}
<button>Save</button>
</form>`
}

function entry({ address: email, is_primary, is_activated }: ListedAddress, address: string): Html {
  return rowOf(
    email,
    html`${is_primary ? html` <span class="badge good">primary</span>` : undefined}${is_activated ? undefined : html` <span class="badge">not confirmed</span>`}`,
    is_primary
      ? undefined
      : html`${is_activated ? buttonForm(address, 'Make primary', `Make primary ${email}`, { action: 'make-primary', email }) : undefined}
${askedForm({
  address,
  text: 'Remove',
  label: `Remove ${email}`,
  question: 'You cannot sign in with it then, and commits that carry it are not shown as yours.',
  answer: 'Remove the address',
  fields: { action: 'remove', email },
})}`,
  )
}
