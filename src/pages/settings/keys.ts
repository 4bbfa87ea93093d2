import { CreateKeyOption } from '../../forge/keys/key.shape.ts'
import { addKey, keyConflicts, removeKey } from '../../forge/keys/key-changes.ts'
import { pageOfKeys, type StoredKey } from '../../forge/keys/key-store.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { pageQuery } from '../../http/route/page.ts'
import { badRequest } from '../../http/route/problem.ts'
import type { HandlerBase } from '../../http/route/route.ts'
import { field } from '../form.ts'
import { type Html, html, timeOf } from '../html.ts'
import { listOf, pageLinks } from '../layout.ts'
import { type PageTools, route } from '../route.ts'
import {
  besides,
  faultsOf,
  idIn,
  type Outcome,
  outcomeOf,
  replyTo,
  sent,
  shown,
  type Texts,
} from './form-reply.ts'
import type { Person } from './person.ts'
import { hiddenFields, ofForm, rowForm, sentField, settingsPage } from './settings-page.ts'

type Context = HandlerBase<PageTools> & { caller: Person }

const section = 'settings/keys'

export const getKeySettings = route('GET /settings/keys', {
  ...shown,
  query: { ...shown.query, page: pageQuery().page },
  summary: 'One’s SSH keys',
  handler: ({ query, ...context }) => keysPage(context, outcomeOf(query), query.page),
})

export const changeKeys = route('POST /settings/keys', {
  ...sent,
  summary: 'Add or delete an SSH key',
  fails: [400],
  handler: ({ body, ...context }) =>
    replyTo(
      body,
      `${context.from.host}${section}?done=1`,
      () => change(context, body),
      (outcome) => keysPage(context, outcome, 1),
    ),
})

async function change(context: Context, body: Texts): Promise<Texts | undefined> {
  const { me } = context.caller
  const { action, title = '', key = '' } = body
  if (action === 'delete') return besides('', removeKey(context, me, idIn(body)))
  if (action !== 'add') throw badRequest('the form asks for nothing that there is')
  const faults = faultsOf(CreateKeyOption, { title, key })
  if (faults) return faults
  const adding = mapConstraints(addKey(context, me, { title, key: key.trim() }), keyConflicts)
  const fault = await besides('key', adding)
  const isTitle = fault?.key?.toLowerCase().includes('title')
  return fault && isTitle ? { title: fault.key ?? '' } : fault
}

async function keysPage(context: Context, outcome: Outcome, page: number): Promise<string> {
  const { caller, sql, from } = context
  const address = `${from.host}${section}`
  const paging = { page, limit: 50 }
  const { rows, total } = await pageOfKeys(sql, caller.me.id, '', paging)
  const links = {
    page,
    hasNext: page * paging.limit < total,
    address: (to: number) => `${address}?page=${to}`,
  }
  const form = ofForm(outcome, 'add')
  const main = html`<section class="card" aria-labelledby="keys">
<h2 id="keys">Your keys</h2>
${listOf(
  rows.map((row) => entry(row, address)),
  'None yet.',
)}
${pageLinks(links, 'Before', 'After')}
</section>
<section class="card" aria-labelledby="add">
<h2 id="add">Add a key</h2>
<form method="post" action="${address}">
${hiddenFields({ action: 'add' })}
${field({ label: 'Title', hint: 'By which you know the key, such as the name of the machine', ...sentField(form, 'title') })}
${field({ label: 'Public key', isLong: true, hint: 'One line, as in a file id_ed25519.pub', ...sentField(form, 'key') })}
<button>Add the key</button>
</form>
</section>
<p class="meta">Git is served over HTTPS here: the keys are kept for programs that read them through the API.</p>`
  return settingsPage({ host: from.host, caller, section, outcome, done: 'Your keys are changed.', main })
}

const entry = ({ id, title, fingerprint, created_at }: StoredKey, address: string): Html => html`
<li class="row"><span><strong>${title}</strong><br><code>${fingerprint}</code><br><span class="meta">added ${timeOf(created_at)}</span></span>
${rowForm(address, { action: 'delete', id: String(id) }, { label: 'Delete', about: title })}</li>`
