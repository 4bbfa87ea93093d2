import { failed } from '../../common/outcome.ts'
import { CreateKeyOption } from '../../forge/keys/key.option.ts'
import { addKey, keyConflicts, removeKey } from '../../forge/keys/key-changes.ts'
import { hasSsh } from '../../forge/repos/ssh-address.ts'
import { pageOfKeys, type StoredKey } from '../../forge/ssh-keys/key-store.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { pageQuery } from '../../http/route/page.ts'
import { askedForm, type Fields, field, hiddenFields, unknownAction } from '../form.ts'
import { type Html, html, timeOf } from '../html.ts'
import { card } from '../layout.ts'
import { rowOf } from '../list.ts'
import { programLines } from '../program-lines.ts'
import { route } from '../route.ts'
import {
  besides,
  type Change,
  type FormState,
  faultsOf,
  idIn,
  ofForm,
  replyTo,
  type SettingsContext,
  sent,
  sentField,
  shown,
  stateOf,
} from './form-reply.ts'
import { listSection, settingsPage } from './settings-page.ts'

const section = 'settings/keys'

export const getKeySettings = route('GET /settings/keys', {
  ...shown,
  query: { ...shown.query, page: pageQuery().page },
  summary: 'One’s SSH keys',
  handler: ({ query, ...context }) => keysPage(context, stateOf(query), query.page),
})

export const changeKeys = route('POST /settings/keys', {
  ...sent,
  summary: 'Add or delete an SSH key',
  fails: [400],
  handler: ({ body, ...context }) => replyTo(context, body, { section, change, show: keysPage }),
})

async function change(context: SettingsContext, fields: Fields): Promise<Change> {
  const { me } = context.caller
  const { action, title = '', key = '' } = fields
  if (action === 'delete') return besides('', removeKey(context, me, idIn(fields)))
  if (action !== 'add') throw unknownAction()
  const faults = faultsOf(CreateKeyOption, { title, key })
  if (faults) return failed(faults)
  const adding = mapConstraints(addKey(context, me, { title, key: key.trim() }), keyConflicts)
  const outcome = await besides('key', adding)
  if (outcome.ok) return outcome
  const { key: fault = '' } = outcome.fault
  return failed(fault.toLowerCase().includes('title') ? { title: fault } : { key: fault })
}

async function keysPage(context: SettingsContext, state: FormState, page = 1): Promise<string> {
  const { caller, sql, from } = context
  const address = `${from.host}${section}`
  const list = await pageOfKeys(sql, caller.me.id, '', { page, limit: 50 })
  const form = ofForm(state, 'add')
  const main = html`${listSection({ title: 'Your keys', noun: ['key'], list, address, entryOf: (row) => entry(row, address) })}
${card('add', 'Add a key')`<form method="post" action="${address}">
${hiddenFields({ action: 'add' })}
${field({ label: 'Title', hint: 'By which you know the key, such as the name of the machine', ...sentField(form, 'title') })}
${field({ label: 'Public key', isLong: true, hint: 'One line, as in a file id_ed25519.pub', ...sentField(form, 'key') })}
<button>Add the key</button>
</form>`}
${card(
  'use',
  'Use a key',
)`<p>A key signs commits${hasSsh() ? ', and opens repositories over SSH' : undefined}.</p>
${programLines('make a key', 'Make one on your machine, and copy what the last line prints:', { address: caller.me.email })}
${programLines('sign commits', 'Sign all commits that you make there, under an address of yours that is confirmed:', { address: caller.me.email })}`}`
  return settingsPage(context, { section, state, done: 'Your keys are changed.', main })
}

const entry = ({ id, title, fingerprint, created_at }: StoredKey, address: string): Html =>
  rowOf(
    title,
    html`<code>${fingerprint}</code> added ${timeOf(created_at)}`,
    askedForm({
      address,
      text: 'Delete',
      label: `Delete ${title}`,
      question: 'Delete this key?',
      answer: 'Delete the key',
      fields: { action: 'delete', id },
    }),
  )
