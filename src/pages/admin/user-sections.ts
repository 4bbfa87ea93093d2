import type { PublicKey } from '../../forge/keys/key.shape.ts'
import type { Organization } from '../../forge/orgs/organization.shape.ts'
import { field } from '../form.ts'
import { type Html, html, timeOf } from '../html.ts'
import { listOf } from '../layout.ts'
import { buttonForm, tick } from './fields.ts'
import { rowOf } from './list.ts'
import type { Refusal } from './refusal.ts'
import type { Fields } from './reply.ts'

/** What the forms of a section have been sent, and why nothing was changed. */
interface Sent {
  /** The form as it was sent; absent: another form was sent, or none. */
  values?: Fields | undefined
  refusal?: Refusal | undefined
}

/** A field with what was written into it. Another form of the page may have a field of this name. */
function sentField(name: string, { values, refusal }: Sent) {
  const fault = values && refusal?.field === name ? refusal.sentence : undefined
  const written = { value: values?.[name], fault, hasFocus: fault !== undefined, autocomplete: 'off' }
  return { name, id: `new-${name}`, ...written }
}

/** The SSH keys of a user; `address`: of the page of the user. */
export const keySection = (
  address: string,
  keys: readonly PublicKey[],
  sent: Sent,
): Html => html`<section class="card" aria-labelledby="keys">
<h2 id="keys">SSH keys</h2>
${listOf(
  keys.map(({ id, title, fingerprint, created_at }) =>
    rowOf(
      html`<bdi>${title}</bdi>`,
      html`<code>${fingerprint}</code> · added ${timeOf(created_at)}`,
      buttonForm(`${address}/keys`, 'Delete', `Delete the key: ${title}`, { delete: String(id) }),
    ),
  ),
  'There are none.',
)}
<form method="post" action="${address}/keys">
${field({ ...sentField('title', sent), label: 'Title of a key' })}
${field({ ...sentField('key', sent), label: 'Public key', isLong: true, rows: 3, hint: 'One line, such as ssh-ed25519 AAAA…' })}
<button class="quiet">Add the key</button>
</form>
</section>`

/** The organizations that a user is a member of. */
export const organizationFacts = (host: string, organizations: readonly Organization[]): Html =>
  html`<dt>Organizations</dt><dd>${
    organizations.length === 0
      ? 'none'
      : organizations.map(({ name }, at) => html`${at === 0 ? '' : ', '}<a href="${host}${name}">${name}</a>`)
  }</dd>`

/** The form that creates a repository of a user. */
export const repositoryForm = (
  address: string,
  sent: Sent,
): Html => html`<form class="card" method="post" action="${address}/repositories" aria-labelledby="repository">
<h2 id="repository">Create a repository</h2>
${field({ ...sentField('name', sent), label: 'Name of the repository' })}
${tick({ name: 'private', label: 'Private', isOn: sent.values?.private === 'on' })}
<button class="quiet">Create it</button>
</form>`
