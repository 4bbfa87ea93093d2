import type { Page } from '../../db/page.ts'
import type { Category } from '../../forge/auth/scopes.ts'
import type { StoredToken } from '../../forge/auth/token-store.ts'
import { field } from '../form.ts'
import { type Html, html, timeOf } from '../html.ts'
import { listOf, pageLinks } from '../layout.ts'
import type { Outcome, Texts } from './form-reply.ts'
import type { Person } from './person.ts'
import { choice, hiddenFields, ofForm, rowForm, sentField, settingsPage, tick } from './settings-page.ts'

const section = 'settings/tokens'

/** A token that the answer shows this once. */
export interface MadeToken {
  name: string
  token: string
}

interface Parts {
  caller: Person
  host: string
  outcome: Outcome
  tokens: Page<StoredToken>
  made?: MadeToken | undefined
}

/** The page about one's access tokens. */
export function tokensPage({ caller, host, outcome, tokens, made }: Parts): string {
  const address = `${host}${section}`
  const { rows, page, limit, total } = tokens
  const links = { page, hasNext: page * limit < total, address: (to: number) => `${address}?page=${to}` }
  const main = html`${made && newToken(made)}
<section class="card" aria-labelledby="tokens">
<h2 id="tokens">Your tokens</h2>
${listOf(
  rows.map((row) => entry(row, address)),
  'None yet. A token lets a program act as you, as far as you allow.',
)}
${pageLinks(links)}
</section>
${tokenForm(address, ofForm(outcome, 'make'), caller.me.is_admin)}
<p class="meta">Programs send a token instead of your password; <a href="${host}api/swagger">the API reference</a> says how.</p>`
  return settingsPage({ host, caller, section, outcome, done: 'The token is deleted.', main })
}

const newToken = ({ name, token }: MadeToken): Html => html`<div class="card made" role="status">
<div class="field"><label for="made">Your new token &ldquo;${name}&rdquo;</label>
<p class="hint" id="made-hint">Copy it now: it is shown only this once.</p>
<input id="made" class="secret" type="text" readonly value="${token}" aria-describedby="made-hint" autofocus></div>
</div>`

function entry(
  { id, name, last_eight, scopes, created_at, last_used_at, expires_at }: StoredToken,
  address: string,
): Html {
  return html`
<li class="row"><span><strong>${name}</strong> <code>&hellip;${last_eight}</code><br>
<span class="meta">${scopes.replaceAll(',', ', ')}<br>
made ${timeOf(created_at)}, ${last_used_at === null ? 'never used' : html`last used ${timeOf(last_used_at)}`}, ${expires_at === null ? 'never ends' : html`ends ${timeOf(expires_at)}`}</span></span>
${rowForm(address, { action: 'delete', id: String(id) }, { label: 'Delete', about: name })}</li>`
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

const levels: Texts = { '': 'No access', read: 'Read', write: 'Read and write' }

function tokenForm(address: string, outcome: Outcome, isAdmin: boolean): Html {
  const { values } = outcome
  const offered = Object.entries(labels).filter(([name]) => isAdmin || (name !== 'admin' && name !== 'misc'))
  return html`<section class="card" aria-labelledby="make">
<h2 id="make">Make a token</h2>
<form method="post" action="${address}">
${hiddenFields({ action: 'make' })}
${field({ label: 'Name', hint: 'What it is for', ...sentField(outcome, 'name') })}
${field({ label: 'Last day', type: 'date', isOptional: true, hint: 'In UTC; empty: the token works until you delete it', ...sentField(outcome, 'expires') })}
<fieldset class="scopes"><legend>What it may do</legend>
${tick('all', 'Everything that you may do', values.all !== undefined)}
<div class="two">${offered.map(([name, label]) => choice({ name, label, value: values[name] ?? '', options: levels }))}</div>
${tick('public_only', 'Only what is public', values.public_only !== undefined)}
</fieldset>
<button>Make the token</button>
</form>
</section>`
}
