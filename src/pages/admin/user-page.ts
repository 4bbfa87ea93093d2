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

/** The parts of the page of a user, by the paths below it. */
const tabs = {
  '': 'Profile and rights',
  keys: 'SSH keys',
  badges: 'Badges',
  repositories: 'Repositories',
  rename: 'Name',
} as const

type Tab = keyof typeof tabs

/** What has become of the forms of the page. */
interface UserForms {
  /** The part that is shown; absent: the first. */
  tab?: Tab
  done?: string | undefined
  /** The form as it was sent. */
  values?: Fields | undefined
  refusal?: Refusal
}

interface Parts extends UserForms {
  caller: AdministratorOn
  address: string
}

/** A part of the page of a user, with what belongs to the user as operations read it. */
export async function pageOfUser(
  caller: AdministratorOn,
  { tab = '', done, ...forms }: UserForms,
): Promise<string> {
  const { subject } = caller
  const address = adminAddress(caller, `users/${subject.name}`)
  const content = await contents[tab]({ caller, address, ...forms })
  const entries = Object.entries(tabs).map(
    ([path, name]) =>
      html`<li><a href="${path === '' ? address : `${address}/${path}`}"${path === tab ? html` aria-current="page"` : undefined}>${name}</a></li>`,
  )
  const main = html`<nav class="tabs" aria-label="User"><ul>${entries}</ul></nav>
${content}`
  const beside = html`<a class="button admin-danger" href="${address}/delete" aria-label="Delete the user &hellip;">Delete &hellip;</a>`
  const { refusal } = forms
  return adminPage({ caller, title: subject.name, section: 'users', main, beside, done, refusal })
}

const contents: Readonly<Record<Tab, (parts: Parts) => Promise<Html>>> = {
  '': profileTab,
  keys: async ({ caller, address, values, refusal }) => {
    const params = { username: caller.subject.name }
    const { rows } = await readPage(caller, userListKeys, PublicKey, { params, query: pageAt(1) })
    return keySection(address, rows, { values, refusal })
  },
  badges: badgeSection,
  repositories: async ({ address, values, refusal }) => repositoryForm(address, { values, refusal }),
  rename: async (parts) => renameForm(parts),
}

async function profileTab(parts: Parts): Promise<Html> {
  const { caller, address } = parts
  const { subject, request } = caller
  const { host } = request.from
  const params = { username: subject.name }
  const organizations = await readPage(caller, adminListUserOrgs, Organization, { params, query: pageAt(1) })
  return html`<div class="panel">
${editForm(parts)}
<div class="column">
${card('about', 'About')`<dl class="facts">
<dt>Id</dt><dd>${subject.id}</dd>
<dt>Made</dt><dd>${timeOf(subject.created_at)}</dd>
<dt>Last sign-in</dt><dd>${subject.last_login_at === null ? 'never' : timeOf(subject.last_login_at)}</dd>
<dt>One-time codes</dt><dd>${subject.has_totp ? 'yes' : 'no'}</dd>
${organizationFacts(host, organizations.rows)}
</dl>
<p class="actions admin-links"><a href="${host}${subject.name}">Public page</a>
<a href="${host}-/admin/audit?target=${subject.name}">Done to this user</a>
<a href="${host}-/admin/audit?actor=${subject.name}">Done by this user</a></p>`}
${subject.kind === 'person' ? signInHelp(address, subject) : undefined}
</div>
</div>`
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

function editForm({ caller: { subject }, address, values: sent, refusal }: Parts): Html {
  const values = sent ?? stored(subject)
  const fieldOf = fieldsOf(values, sent && refusal)
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

function renameForm({ address, values = {}, refusal }: Parts): Html {
  const name = fieldsOf(values, refusal)('new_username')
  return html`<form class="card" method="post" action="${address}/rename" aria-labelledby="rename">
<h2 id="rename">Rename</h2>
${field({ ...name, label: 'New name' })}
<button>Rename</button>
</form>`
}

async function badgeSection({ caller, address: userAddress, values = {}, refusal }: Parts): Promise<Html> {
  const params = { username: caller.subject.name }
  const badges = await read(caller, adminListUserBadges, v.object({ rows: v.array(Badge) }), { params })
  const address = `${userAddress}/badges`
  const slug = fieldsOf(values, refusal)('give')
  return card('badges', 'Badges')`${listOf(
    badges.rows.map(({ slug, description }) =>
      rowOf(slug, description, buttonForm(address, 'Take away', `Take away: ${slug}`, { take: slug })),
    ),
    'No badges yet.',
  )}
<form method="post" action="${address}">
${field({ ...slug, label: 'Slug of a badge' })}
<button class="quiet">Give it</button>
</form>`
}
