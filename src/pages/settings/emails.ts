import { addAddresses, makePrimary, removeAddresses } from '../../forge/users/email-changes.ts'
import { type ListedAddress, pageOfOwnAddresses } from '../../forge/users/email-list-store.ts'
import { pageQuery } from '../../http/route/page.ts'
import { badRequest } from '../../http/route/problem.ts'
import type { HandlerBase } from '../../http/route/route.ts'
import { field } from '../form.ts'
import { type Html, html } from '../html.ts'
import { listOf, pageLinks } from '../layout.ts'
import { type PageTools, route } from '../route.ts'
import { besides, type Outcome, outcomeOf, replyTo, sent, shown, type Texts } from './form-reply.ts'
import type { Person } from './person.ts'
import { hiddenFields, ofForm, rowForm, sentField, settingsPage } from './settings-page.ts'

type Context = HandlerBase<PageTools> & { caller: Person }

const section = 'settings/emails'

export const getEmailSettings = route('GET /settings/emails', {
  ...shown,
  query: { ...shown.query, page: pageQuery().page },
  summary: 'One’s e-mail addresses',
  handler: ({ query, ...context }) => emailsPage(context, outcomeOf(query), query.page),
})

export const changeEmails = route('POST /settings/emails', {
  ...sent,
  summary: 'Add or remove an e-mail address, or make one the primary one',
  fails: [400],
  handler: ({ body, ...context }) =>
    replyTo(
      body,
      `${context.from.host}${section}?done=1`,
      () => change(context, body),
      (outcome) => emailsPage(context, outcome, 1),
    ),
})

function change(context: Context, { action, email = '' }: Texts): Promise<Texts | undefined> {
  if (action === 'add') return besides('email', addAddresses(context, [email.trim()]))
  if (action === 'remove') return besides('', removeAddresses(context, [email]))
  if (action === 'make-primary') return besides('', makePrimary(context, email))
  throw badRequest('the form asks for nothing that there is')
}

async function emailsPage(context: Context, outcome: Outcome, page: number): Promise<string> {
  const { caller, sql, from } = context
  const address = `${from.host}${section}`
  const paging = { page, limit: 50 }
  const { rows, total } = await pageOfOwnAddresses(sql, caller.me.id, paging)
  const links = {
    page,
    hasNext: page * paging.limit < total,
    address: (to: number) => `${address}?page=${to}`,
  }
  const main = html`<section class="card" aria-labelledby="addresses">
<h2 id="addresses">Your addresses</h2>
${listOf(
  rows.map((row) => entry(row, address)),
  'None yet.',
)}
${pageLinks(links, 'Before', 'After')}
</section>
<section class="card" aria-labelledby="add">
<h2 id="add">Add an address</h2>
<form method="post" action="${address}">
${hiddenFields({ action: 'add' })}
${field({ label: 'E-mail address', type: 'email', autocomplete: 'email', ...sentField(ofForm(outcome, 'add'), 'email') })}
<button>Add the address</button>
</form>
</section>
<p class="meta">The server sends no mail. You can sign in with each of your addresses, and commits that carry one are shown as yours.</p>`
  return settingsPage({
    host: from.host,
    caller,
    section,
    outcome,
    done: 'Your addresses are changed.',
    main,
  })
}

function entry({ address: email, is_primary, is_activated }: ListedAddress, address: string): Html {
  const fields = (action: string) => ({ action, email })
  return html`
<li class="row"><span>${email}${is_primary ? html` <span class="badge good">primary</span>` : undefined}</span>
${
  is_primary
    ? undefined
    : html`<span class="actions">${is_activated ? rowForm(address, fields('make-primary'), { label: 'Make primary', about: email }) : undefined}
${rowForm(address, fields('remove'), { label: 'Remove', about: email })}</span>`
}</li>`
}
