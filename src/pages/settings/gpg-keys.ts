import { failed } from '../../common/outcome.ts'
import { CreateGPGKeyOption, VerifyGPGKeyOption } from '../../forge/keys/gpg-key.option.ts'
import {
  addGpgKey,
  gpgKeyConflicts,
  gpgKeyToken,
  removeGpgKey,
  verifyGpgKey,
} from '../../forge/keys/gpg-key-changes.ts'
import { pageOfGpgKeys, type StoredGpgKey } from '../../forge/openpgp/gpg-key-store.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { pageQuery } from '../../http/route/page.ts'
import { askedForm, type Fields, field, hiddenFields, unknownAction } from '../form.ts'
import { type Html, html, timeOf } from '../html.ts'
import { card } from '../layout.ts'
import { rowOf } from '../list.ts'
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

const section = 'settings/gpg_keys'

export const getGpgKeySettings = route('GET /settings/gpg_keys', {
  ...shown,
  query: { ...shown.query, page: pageQuery().page },
  summary: 'One’s OpenPGP keys',
  handler: ({ query, ...context }) => keysPage(context, stateOf(query), query.page),
})

export const changeGpgKeys = route('POST /settings/gpg_keys', {
  ...sent,
  summary: 'Add, verify or delete an OpenPGP key',
  fails: [400],
  handler: ({ body, ...context }) => replyTo(context, body, { section, change, show: keysPage }),
})

async function change(context: SettingsContext, fields: Fields): Promise<Change> {
  const { me } = context.caller
  const { action, armored_public_key = '', armored_signature = '', key_id = '' } = fields
  if (action === 'delete') return besides('', removeGpgKey(context, me, idIn(fields)))
  if (action === 'verify') {
    const faults = faultsOf(VerifyGPGKeyOption, { key_id, armored_signature })
    if (faults) return failed(faults)
    return besides('armored_signature', verifyGpgKey(context, { key_id, armored_signature }))
  }
  if (action !== 'add') throw unknownAction()
  const faults = faultsOf(CreateGPGKeyOption, { armored_public_key, armored_signature })
  if (faults) return failed(faults)
  const adding = addGpgKey(context, { armored_public_key, armored_signature })
  return besides('armored_public_key', mapConstraints(adding, gpgKeyConflicts))
}

async function keysPage(context: SettingsContext, state: FormState, page = 1): Promise<string> {
  const { caller, sql, from } = context
  const address = `${from.host}${section}`
  const list = await pageOfGpgKeys(sql, caller.me.id, { page, limit: 50 })
  const [adding, verifying] = [ofForm(state, 'add'), ofForm(state, 'verify')]
  const main = html`${listSection({ title: 'Your keys', noun: ['key'], list, address, entryOf: (row) => entry(row, address) })}
${card('add', 'Add a key')`<form method="post" action="${address}">
${hiddenFields({ action: 'add' })}
${field({ label: 'Public key', isLong: true, hint: 'As gpg --armor --export prints it', ...sentField(adding, 'armored_public_key') })}
${field({ label: 'Signature of the text below', isLong: true, hint: 'Needed only if the key has none of your confirmed addresses', ...sentField(adding, 'armored_signature') })}
<button>Add the key</button>
</form>`}
${card(
  'verify',
  'Verify a key',
)`<p>A verified key counts for all your confirmed addresses, one that is not for those in its user ids. Sign this text within ten minutes:</p>
<pre class="wrapped">echo ${gpgKeyToken(context)} | gpg --armor --detach-sign</pre>
<form method="post" action="${address}">
${hiddenFields({ action: 'verify' })}
${field({ label: 'Key id', ...sentField(verifying, 'key_id') })}
${field({ label: 'Signature', isLong: true, ...sentField(verifying, 'armored_signature') })}
<button>Verify the key</button>
</form>`}`
  return settingsPage(context, { section, state, done: 'Your keys are changed.', main })
}

const entry = (
  { id, key_id, emails, is_verified, added_at, expires_at }: StoredGpgKey,
  address: string,
): Html =>
  rowOf(
    html`${key_id}${is_verified ? html` <span class="badge good">Verified</span>` : undefined}`,
    html`${emails.join(', ')}<br>
added ${timeOf(added_at)}${expires_at === null ? undefined : html`, ends ${timeOf(expires_at)}`}`,
    askedForm({
      address,
      text: 'Delete',
      label: `Delete ${key_id}`,
      question: 'Delete this key? What it signed is then no longer verified.',
      answer: 'Delete the key',
      fields: { action: 'delete', id },
    }),
  )
