import * as v from 'valibot'
import type { Account } from '../../forge/accounts/account-store.ts'
import { PublicKey } from '../../forge/keys/key.shape.ts'
import { userListKeys } from '../../forge/keys/keys.ts'
import { Organization } from '../../forge/orgs/organization.shape.ts'
import { adminListUserOrgs } from '../../forge/orgs/user-orgs.ts'
import { Badge } from '../../forge/users/badge.shape.ts'
import { adminListUserBadges } from '../../forge/users/badges.ts'
import { buttonForm, choice, type Fields, field, tick } from '../form.ts'
import { type Html, html, timeOf } from '../html.ts'
import { card, listOf } from '../layout.ts'
import { pageAt, rowOf } from '../list.ts'
import { fieldsOf } from '../operations/fields.ts'
import { read, readPage } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import { type AdministratorOn, adminAddress } from './administrator.ts'
import { visibilities } from './fields.ts'
import { adminPage } from './frame.ts'
import { signInHelp } from './user-link.ts'
import { keySection, organizationFacts, repositoryForm } from './user-sections.ts'

/** What has become of the forms of the page. */
interface UserForms {
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
  address: string
  badges: readonly Badge[]
  keys: readonly PublicKey[]
  organizations: readonly Organization[]
}

/** The page of a user, with what belongs to the user as operations read it. */
export async function pageOfUser(caller: AdministratorOn, forms: UserForms): Promise<string> {
  const params = { username: caller.subject.name }
  const first = { params, query: pageAt(1) }
  const [badges, keys, organizations] = await Promise.all([
    read(caller, adminListUserBadges, v.object({ rows: v.array(Badge) }), { params }),
    readPage(caller, userListKeys, PublicKey, first),
    readPage(caller, adminListUserOrgs, Organization, first),
  ])
  const address = adminAddress(caller, `users/${caller.subject.name}`)
  const rows = { badges: badges.rows, keys: keys.rows, organizations: organizations.rows }
  return userPage({ caller, address, ...rows, ...forms })
}

/** The page of a user with the forms that change it. */
function userPage(parts: Parts): string {
  const { caller, address, done, refusal } = parts
  const { subject, request } = caller
  const { host } = request.from
  const main = html`<div class="panel">
${editForm(parts)}
<div class="column">
${card('about', 'About')`<dl class="facts">
<dt>Id</dt><dd>${subject.id}</dd>
<dt>Since</dt><dd>${timeOf(subject.created_at)}</dd>
<dt>Last sign-in</dt><dd>${subject.last_login_at === null ? 'never' : timeOf(subject.last_login_at)}</dd>
<dt>One-time codes</dt><dd>${subject.has_totp ? 'yes' : 'no'}</dd>
${organizationFacts(host, parts.organizations)}
</dl>
<p class="actions admin-links"><a href="${host}${subject.name}">Public page</a>
<a href="${host}-/admin/audit?target=${subject.name}">Done to this user</a>
<a href="${host}-/admin/audit?actor=${subject.name}">Done by this user</a></p>`}
${subject.kind === 'person' ? signInHelp(address, subject) : undefined}
${renameForm(parts)}
${keySection(address, parts.keys, { values: parts.key, refusal })}
${repositoryForm(address, { values: parts.repository, refusal })}
${badgeSection(parts)}
${card('delete', 'Delete')`<p>The next page says what else is deleted.</p>
<p class="actions"><a class="button quiet" href="${address}/delete">Delete the user &hellip;</a></p>`}
</div>
</div>`
  return adminPage({ caller, title: subject.name, section: 'users', main, done, refusal })
}

/** The form before anybody has changed it. */
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

function editForm({ caller: { subject }, address, edit, refusal }: Parts): Html {
  const values = edit ?? stored(subject)
  const fieldOf = fieldsOf(values, edit && refusal)
  const box = (name: string, label: string, hint?: string) =>
    tick({ name, label, isOn: values[name] === 'on', fault: fieldOf(name).fault, hint })
  return html`<form class="card admin-form" method="post" action="${address}/edit">
<h2>Profile</h2>
${field({ ...fieldOf('full_name'), label: 'Full name', isOptional: true })}
${subject.kind === 'person' ? field({ ...fieldOf('email'), label: 'E-mail address', type: 'email' }) : undefined}
${field({ ...fieldOf('website'), label: 'Website', isOptional: true })}
${field({ ...fieldOf('location'), label: 'Place', isOptional: true })}
${field({ ...fieldOf('description'), label: 'Description', isOptional: true })}
${choice({ name: 'visibility', label: 'Seen by', value: values.visibility ?? '', options: visibilities })}
<h2>Rights</h2>
${box('prohibit_login', 'Sign-in prohibited', 'Ends its sessions at once; its tokens do nothing either.')}
${box('active', 'Active', 'An inactive account cannot be used at all.')}
${box('admin', 'Administrator')}
${box('restricted', 'Restricted', 'Sees only what it is a member or collaborator of.')}
${box('allow_create_organization', 'May create organizations')}
${field({ ...fieldOf('max_repo_creation'), label: 'Most repositories', type: 'number', isOptional: true, hint: 'Empty: as many as the server allows everybody' })}
<h2>Password</h2>
${field({ ...fieldOf('password'), value: '', label: 'New password', type: 'password', autocomplete: 'new-password', isOptional: true, hint: 'Empty: it stays' })}
${box('must_change_password', 'It has to be changed first', 'The sign-in asks for another one before anything else.')}
<button>Save</button>
</form>`
}

function renameForm({ address, newName, refusal }: Parts): Html {
  const name = fieldsOf({ new_username: newName }, refusal)('new_username')
  return html`<form class="card" method="post" action="${address}/rename" aria-labelledby="rename">
<h2 id="rename">Rename</h2>
${field({ ...name, label: 'New name' })}
<button>Rename</button>
</form>`
}

function badgeSection({ address: userAddress, badges, badge, refusal }: Parts): Html {
  const address = `${userAddress}/badges`
  const slug = fieldsOf({ give: badge }, refusal)('give')
  return card('badges', 'Badges')`${listOf(
    badges.map(({ slug, description }) =>
      rowOf(slug, description, buttonForm(address, 'Take away', `Take away: ${slug}`, { take: slug })),
    ),
    'It has none.',
  )}
<form method="post" action="${address}">
${field({ ...slug, label: 'Slug of a badge' })}
<button class="quiet">Give it</button>
</form>`
}
