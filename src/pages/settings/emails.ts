import { addAddresses, makePrimary, removeAddresses } from '../../forge/users/email-changes.ts'
import { type ListedAddress, pageOfOwnAddresses } from '../../forge/users/email-list-store.ts'
import { pageQuery } from '../../http/route/page.ts'
import { askedForm, buttonForm, type Fields, field, hiddenFields, unknownAction } from '../form.ts'
import { type Html, html } from '../html.ts'
import { card } from '../layout.ts'
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

function change(context: SettingsContext, { action, email = '' }: Fields): Promise<Change> {
  if (action === 'add') return besides('email', addAddresses(context, [email.trim()]))
  if (action === 'remove') return besides('', removeAddresses(context, [email]))
  if (action === 'make-primary') return besides('', makePrimary(context, email))
  throw unknownAction()
}

async function emailsPage(context: SettingsContext, state: FormState, page = 1): Promise<string> {
  const { caller, sql, from } = context
  const address = `${from.host}${section}`
  const list = await pageOfOwnAddresses(sql, caller.me.id, { page, limit: 50 })
  const main = html`${listSection({ title: 'Your addresses', list, address, entryOf: (row) => entry(row, address) })}
${card('add', 'Add an address')`<form method="post" action="${address}">
${hiddenFields({ action: 'add' })}
${field({ label: 'E-mail address', type: 'email', autocomplete: 'email', ...sentField(ofForm(state, 'add'), 'email') })}
<button>Add the address</button>
</form>`}
<p class="meta">The server sends no mail. You can sign in with each of your addresses, and commits that carry one are shown as yours.</p>`
  return settingsPage(context, { section, state, done: 'Your addresses are changed.', main })
}

function entry({ address: email, is_primary, is_activated }: ListedAddress, address: string): Html {
  return html`
<li class="row"><span>${email}${is_primary ? html` <span class="badge good">primary</span>` : undefined}</span>
${
  is_primary
    ? undefined
    : html`<span class="actions">${is_activated ? buttonForm(address, 'Make primary', `Make primary ${email}`, { action: 'make-primary', email }) : undefined}
${askedForm({
  address,
  text: 'Remove',
  label: `Remove ${email}`,
  question: 'You cannot sign in with it then, and commits that carry it are not shown as yours.',
  answer: 'Remove the address',
  fields: { action: 'remove', email },
})}</span>`
}</li>`
}
