import type { Page } from '../../db/page.ts'
import type { Category } from '../../forge/auth/scopes.ts'
import type { StoredToken } from '../../forge/auth/token-store.ts'
import { askedForm, choice, field, hiddenFields, tick } from '../form.ts'
import { type Html, html, timeOf } from '../html.ts'
import { card } from '../layout.ts'
import { rowOf } from '../list.ts'
import { programLines } from '../program-lines.ts'
import { type FormState, ofForm, type SettingsContext, sentField } from './form-reply.ts'
import { listSection, settingsPage } from './settings-page.ts'

const section = 'settings/tokens'

/** A token that the answer shows this once. */
export interface MadeToken {
  name: string
  token: string
}

interface Parts {
  state: FormState
  tokens: Page<StoredToken>
  made?: MadeToken | undefined
}

/** The page about one's access tokens. */
export function tokensPage(context: SettingsContext, { state, tokens, made }: Parts): string {
  const { host } = context.from
  const address = `${host}${section}`
  const main = html`${made && newToken(made, host)}
${listSection({
  title: 'Your tokens',
  list: tokens,
  address,
  entryOf: (row) => entry(row, address),
  noun: ['token'],
  empty: 'No tokens yet. A token lets a program act as you, as far as you allow.',
})}
${tokenForm(address, ofForm(state, 'make'), context.caller.me.is_admin)}
<p class="meta">Programs send a token instead of your password; <a href="${host}api/swagger">the API reference</a> says how.</p>`
  return settingsPage(context, { section, state, done: 'The token is deleted.', main })
}

const newToken = (
  { name, token }: MadeToken,
  host: string,
): Html => html`<div class="card made" role="status">
<div class="field"><label for="made">Your new token &ldquo;${name}&rdquo;</label>
<p class="hint" id="made-hint">Copy it now: it is shown only this once.</p>
<input id="made" class="secret" type="text" readonly value="${token}" aria-describedby="made-hint" autofocus></div>
${programLines('use a token', 'Programs send it, or keep it:', { host, token })}
</div>`

function entry(
  { id, name, last_eight, scopes, created_at, last_used_at, expires_at }: StoredToken,
  address: string,
): Html {
  return rowOf(
    html`${name} <code>&hellip;${last_eight}</code>`,
    html`${scopes.replaceAll(',', ', ')}<br>
made ${timeOf(created_at)}, ${last_used_at === null ? 'never used' : html`last used ${timeOf(last_used_at)}`}, ${expires_at === null ? 'never ends' : html`ends ${timeOf(expires_at)}`}`,
    askedForm({
      address,
      text: 'Delete',
      label: `Delete ${name}`,
      question: 'Programs that use this token are refused from then on. Nobody can restore it.',
      answer: 'Delete the token',
      fields: { action: 'delete', id },
    }),
  )
}

/** The categories that operations of this server need. */
const labels: Partial<Record<Category, string>> = {
  repository: 'Repositories',
  issue: 'Issues',
  notification: 'Notifications',
  user: 'Your account',
  organization: 'Organizations',
  package: 'Packages',
  misc: 'The site',
  admin: 'Administration',
}

const levels: Readonly<Record<string, string>> = { '': 'No access', read: 'Read', write: 'Read and write' }

function tokenForm(address: string, state: FormState, isAdmin: boolean): Html {
  const { values } = state
  const offered = Object.entries(labels).filter(([name]) => isAdmin || (name !== 'admin' && name !== 'misc'))
  return card('make', 'Make a token')`<form method="post" action="${address}">
${hiddenFields({ action: 'make' })}
${field({ label: 'Name', hint: 'What it is for', ...sentField(state, 'name') })}
${field({ label: 'Last day', type: 'date', isOptional: true, hint: 'In UTC; empty: the token works until you delete it', ...sentField(state, 'expires') })}
<fieldset class="scopes"><legend>What it may do</legend>
${tick({ name: 'all', label: 'Everything that you may do', isOn: values.all !== undefined })}
<div class="two">${offered.map(([name, label]) => choice({ name, label, value: values[name] ?? '', options: levels }))}</div>
${tick({ name: 'public_only', label: 'Only what is public', isOn: values.public_only !== undefined })}
</fieldset>
<button>Make the token</button>
</form>`
}
