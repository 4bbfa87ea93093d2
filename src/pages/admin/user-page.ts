import type { Account } from '../../forge/accounts/account-store.ts'
import type { PublicKey } from '../../forge/keys/key.shape.ts'
import type { Organization } from '../../forge/orgs/organization.shape.ts'
import type { Badge } from '../../forge/users/badge.shape.ts'
import { field } from '../form.ts'
import { type Html, html, timeOf } from '../html.ts'
import { listOf } from '../layout.ts'
import { buttonForm, choice, tick } from './fields.ts'
import { adminPage } from './frame.ts'
import { rowOf } from './list.ts'
import type { AdministratorOn } from './operation.ts'
import type { Refusal } from './refusal.ts'
import type { Fields } from './reply.ts'
import { keySection, organizationFacts, repositoryForm } from './user-sections.ts'
import { visibilities } from './visibilities.ts'

/** What has become of the forms of the page. */
export interface UserForms {
  done?: string | undefined
  /** The forms as they were sent. */
  edit?: Fields
  newName?: string
  badge?: string | undefined
  key?: Fields | undefined
  repository?: Fields
  refusal?: Refusal
}

interface Parts extends UserForms {
  caller: AdministratorOn
  badges: readonly Badge[]
  keys: readonly PublicKey[]
  organizations: readonly Organization[]
}

/** The page of a user with the forms that change it. */
export function userPage(parts: Parts): string {
  const { caller, done, refusal } = parts
  const { subject, request } = caller
  const { host } = request.from
  const address = `${host}-/admin/users/${subject.name}`
  const main = html`<div class="panel">
${editForm(parts)}
<div class="column">
<section class="card" aria-labelledby="about">
<h2 id="about">About</h2>
<dl class="facts">
<dt>Id</dt><dd>${subject.id}</dd>
<dt>Since</dt><dd>${timeOf(subject.created_at)}</dd>
<dt>Last sign-in</dt><dd>${subject.last_login_at === null ? 'never' : timeOf(subject.last_login_at)}</dd>
<dt>One-time codes</dt><dd>${subject.has_totp ? 'yes' : 'no'}</dd>
${organizationFacts(host, parts.organizations)}
</dl>
<p class="actions admin-links"><a href="${host}${subject.name}">Public page</a>
<a href="${host}-/admin/audit?target=${subject.name}">Done to this user</a>
<a href="${host}-/admin/audit?actor=${subject.name}">Done by this user</a></p>
</section>
${renameForm(parts)}
${keySection(address, parts.keys, { values: parts.key, refusal })}
${repositoryForm(address, { values: parts.repository, refusal })}
${badgeSection(parts)}
<section class="card" aria-labelledby="delete">
<h2 id="delete">Delete</h2>
<p>The next page says what would go with it.</p>
<p class="actions"><a class="button quiet" href="${host}-/admin/users/${subject.name}/delete">Delete the user &hellip;</a></p>
</section>
</div>
</div>`
  return adminPage({ caller, title: subject.name, section: 'users', main, done, refusal })
}

/** What the form shows of an account that nobody has changed yet. */
const stored = (account: Account): Fields => ({
  full_name: account.full_name,
  email: account.email,
  website: account.website,
  location: account.location,
  description: account.description,
  visibility: account.visibility,
  ...(account.max_repo_creation >= 0 && { max_repo_creation: String(account.max_repo_creation) }),
  ...ticked({
    active: account.is_active,
    admin: account.is_admin,
    prohibit_login: account.prohibit_login,
    restricted: account.is_restricted,
    allow_create_organization: account.allow_create_organization,
    must_change_password: account.must_change_password,
  }),
})

const ticked = (flags: Readonly<Record<string, boolean>>): Fields =>
  Object.fromEntries(Object.entries(flags).flatMap(([name, isOn]) => (isOn ? [[name, 'on']] : [])))

function editForm({ caller, edit, refusal }: Parts): Html {
  const { subject, request } = caller
  const values = edit ?? stored(subject)
  const own = (name: string) => {
    const fault = edit && refusal?.field === name ? refusal.sentence : undefined
    return { name, value: values[name], fault, hasFocus: fault !== undefined, autocomplete: 'off' }
  }
  const box = (name: string, label: string, hint?: string) =>
    tick({ name, label, isOn: values[name] === 'on', fault: own(name).fault, hint })
  return html`<form class="card admin-form" method="post" action="${request.from.host}-/admin/users/${subject.name}/edit">
<h2>Profile</h2>
${field({ ...own('full_name'), label: 'Full name', isOptional: true })}
${subject.kind === 'person' ? field({ ...own('email'), label: 'E-mail address', type: 'email' }) : undefined}
${field({ ...own('website'), label: 'Website', isOptional: true })}
${field({ ...own('location'), label: 'Place', isOptional: true })}
${field({ ...own('description'), label: 'Description', isOptional: true })}
${choice({ name: 'visibility', label: 'Seen by', value: values.visibility ?? '', options: visibilities })}
<h2>Rights</h2>
${box('prohibit_login', 'Sign-in prohibited', 'Ends its sessions at once; its tokens do nothing either.')}
${box('active', 'Active', 'An inactive account cannot be used at all.')}
${box('admin', 'Administrator')}
${box('restricted', 'Restricted', 'Sees only what it is a member or collaborator of.')}
${box('allow_create_organization', 'May create organizations')}
${field({ ...own('max_repo_creation'), label: 'Most repositories', type: 'number', isOptional: true, hint: 'Empty: as many as the server allows everybody' })}
<h2>Password</h2>
${field({ ...own('password'), value: '', label: 'New password', type: 'password', autocomplete: 'new-password', isOptional: true, hint: 'Empty: it stays' })}
${box('must_change_password', 'It has to be changed first', 'The user can do nothing before an administrator sets another one.')}
<button>Save</button>
</form>`
}

function renameForm({ caller, newName, refusal }: Parts): Html {
  const { subject, request } = caller
  const fault = refusal?.field === 'new_username' ? refusal.sentence : undefined
  return html`<form class="card" method="post" action="${request.from.host}-/admin/users/${subject.name}/rename" aria-labelledby="rename">
<h2 id="rename">Rename</h2>
${field({ name: 'new_username', label: 'New name', value: newName, fault, hasFocus: fault !== undefined, autocomplete: 'off' })}
<button>Rename</button>
</form>`
}

function badgeSection({ caller, badges, badge, refusal }: Parts): Html {
  const { subject, request } = caller
  const address = `${request.from.host}-/admin/users/${subject.name}/badges`
  const fault = refusal?.field === 'give' ? refusal.sentence : undefined
  return html`<section class="card" aria-labelledby="badges">
<h2 id="badges">Badges</h2>
${listOf(
  badges.map(({ slug, description }) =>
    rowOf(slug, description, buttonForm(address, 'Take away', `Take away: ${slug}`, { take: slug })),
  ),
  'It has none.',
)}
<form method="post" action="${address}">
${field({ name: 'give', label: 'Slug of a badge', value: badge, fault, hasFocus: fault !== undefined, autocomplete: 'off' })}
<button class="quiet">Give it</button>
</form>
</section>`
}
