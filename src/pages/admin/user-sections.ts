import type { PublicKey } from '../../forge/keys/key.shape.ts'
import type { Organization } from '../../forge/orgs/organization.shape.ts'
import { askedForm, type Fields, field, tick } from '../form.ts'
import { type Html, html, timeOf } from '../html.ts'
import { card, listOf } from '../layout.ts'
import { rowOf } from '../list.ts'
import { fieldsOf } from '../operations/fields.ts'
import type { Refusal } from '../operations/refusal.ts'

/** A form that was sent, and why it changed nothing. */
interface Sent {
  /** Absent: another form was sent, or none. */
  values?: Fields | undefined
  refusal?: Refusal | undefined
}

/** A field with what was written into it; its id is its own, as other forms of the page have fields of this name. */
const sentField = (name: string, { values, refusal }: Sent) => ({
  ...fieldsOf(values ?? {}, values && refusal)(name),
  id: `new-${name}`,
})

/** The SSH keys of a user; `address`: of the page of the user. */
export const keySection = (address: string, keys: readonly PublicKey[], sent: Sent): Html => card(
  'keys',
  'SSH keys',
)`${listOf(
  keys.map(({ id, title, fingerprint, created_at }) =>
    rowOf(
      html`<bdi>${title}</bdi>`,
      html`<code>${fingerprint}</code> · added ${timeOf(created_at)}`,
      askedForm({
        address: `${address}/keys`,
        text: 'Delete',
        label: `Delete the key: ${title}`,
        question: 'Delete this key?',
        answer: 'Delete the key',
        fields: { delete: String(id) },
      }),
    ),
  ),
  'No SSH keys yet.',
)}
<form method="post" action="${address}/keys">
${field({ ...sentField('title', sent), label: 'Title of a key' })}
${field({ ...sentField('key', sent), label: 'Public key', isLong: true, rows: 3, hint: 'One line, such as ssh-ed25519 AAAA…' })}
<button class="quiet">Add the key</button>
</form>`

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
