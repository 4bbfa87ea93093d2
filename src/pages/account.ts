import { avatarUrl } from '../forge/accounts/avatar.ts'
import { ghost } from '../forge/accounts/ghost.ts'
import { printUser } from '../forge/accounts/user.shape.ts'
import { isPublicOnly } from '../forge/auth/access.ts'
import type { Caller } from '../forge/auth/caller.ts'
import { permits } from '../forge/auth/scopes.ts'
import { userSeen } from '../forge/auth/user-access.ts'
import { armorOfKeys } from '../forge/openpgp/armor.ts'
import { certificatesOf } from '../forge/openpgp/gpg-key-store.ts'
import { pageOfRepositories } from '../forge/repos/repo-list-store.ts'
import { contentsOfKeys } from '../forge/ssh-keys/key-store.ts'
import { badgesOf, type StoredBadge } from '../forge/users/badge-store.ts'
import { textAs } from '../http/route/sends.ts'
import { counted, type Html, html, timeOf, webAddress } from './html.ts'
import { card, listOf, page } from './layout.ts'
import { organizationLinks } from './organizations/heading.ts'
import { htmlType, pageReply } from './profile.ts'
import { route } from './route.ts'
import { visitor } from './session/viewer.ts'

/** How many repositories of an account its page shows. */
const maximum = 100

export const getAccountKeys = route('GET /{username}.keys', {
  summary: 'The SSH keys of a person or bot as text, one a line, without comments',
  access: userSeen('user'),
  fails: [404],
  returns: textAs(200, 'text/plain; charset=utf-8'),
  handler: async ({ caller: { subject }, sql }) => {
    const keys = await contentsOfKeys(sql, subject.id)
    return keys.map(({ content }) => `${content.split(' ', 2).join(' ')}\n`).join('')
  },
})

const kinds = { person: 'Person', bot: 'Bot', organization: 'Organization' } as const

export const getAccountGpgKeys = route('GET /{username}.gpg', {
  summary: 'The OpenPGP keys of a person or bot as text, as `gpg --import` reads them; empty without any',
  access: userSeen('user'),
  fails: [404],
  returns: textAs(200, 'text/plain; charset=utf-8'),
  handler: async ({ caller: { subject }, sql }) => {
    const keys = await certificatesOf(sql, subject.id)
    return keys.map(({ certificate }) => armorOfKeys(certificate)).join('')
  },
})

export const getAccountPage = route('GET /{username}', {
  summary: 'A person, bot or organization with its repositories, as a page',
  access: userSeen('user'),
  ...pageReply,
  handler: async ({ caller, sql, from: { host } }) => {
    const { subject, me } = caller
    const reader = { me, publicOnly: isPublicOnly(caller) || !readsRepositories(caller) }
    const { rows, total } = await pageOfRepositories(
      sql,
      reader,
      { owner: subject.id },
      { page: 1, limit: maximum },
      'updated desc',
    )
    const { avatar_url, email: shown, website, location, description } = printUser(subject, me, host)
    const address = webAddress(website)
    const badges = await badgesOf(sql, subject.id)
    // An address that is hidden from the visitor is a placeholder in answers of the API: nobody can write to it.
    const email = shown === subject.email && subject.kind !== 'organization' ? shown : ''
    const main = html`<div class="profile">
<img src="${avatar_url}" alt="" width="88" height="88">
<div><h1>${subject.full_name || subject.name}</h1>
<p class="quiet-text">${subject.name} <span class="badge">${kinds[subject.kind]}</span>${badges.map(badgeOf)}</p></div>
</div>
${subject.kind === 'organization' ? organizationLinks(host, caller) : undefined}
${description === '' ? undefined : html`<p class="lead">${description}</p>`}
<div class="panel">
${card('repositories', counted(total, 'repository', 'repositories'))`${listOf(
  rows.map(
    ({ row }) => html`
<li><h3><a href="${host}${subject.name}/${row.name}">${row.name}</a>${row.is_private ? html` <span class="badge">private</span>` : undefined}</h3>
${row.description === '' ? undefined : html`<p>${row.description}</p>`}
<span class="meta">changed ${timeOf(row.updated_at)}</span></li>`,
  ),
  'No repositories that you may see.',
)}
${total > rows.length ? html`<p class="meta">and ${total - rows.length} more, by the API</p>` : undefined}`}
${card('about', 'About')`<dl class="facts">
${location === '' ? undefined : html`<dt>Place</dt><dd>${location}</dd>`}
${website === '' ? undefined : html`<dt>Website</dt><dd>${address === undefined ? website : html`<a href="${address}" rel="noopener noreferrer nofollow ugc">${website}</a>`}</dd>`}
${email === '' ? undefined : html`<dt>Mail</dt><dd>${email}</dd>`}
<dt>Packages</dt><dd><a href="${host}${subject.name}/-/packages">All packages</a></dd>
<dt>Since</dt><dd>${timeOf(subject.created_at)}</dd>
</dl>`}
</div>`
    return page({ host, caller, title: subject.name, main })
  },
})

/** A badge: its picture, if it has one from the web, or its text. */
function badgeOf({ slug, description, image_url }: StoredBadge): Html {
  const picture = webAddress(image_url)
  const text = description || slug
  return picture === undefined
    ? html` <span class="badge">${text}</span>`
    : html` <img src="${picture}" alt="${text}" title="${text}" height="24">`
}

/** Whether the caller's token is for repositories; otherwise the page names those that everybody sees. */
const readsRepositories = ({ token }: Pick<Caller, 'token'>) =>
  token === undefined || permits(token.scopes, ['repository'], 'read')

export const getGhostPage = route('GET /Ghost', {
  summary: 'The account shown in place of deleted accounts, as a page',
  access: visitor,
  returns: textAs(200, htmlType),
  handler: ({ caller, from: { host } }) => {
    const main = html`<div class="profile"><img src="${avatarUrl(host, 'ghost')}" alt="" width="88" height="88">
<div><h1>${ghost.name}</h1><p class="quiet-text">This name stands for accounts that were deleted.</p></div></div>`
    return page({ host, caller, title: ghost.name, main })
  },
})
