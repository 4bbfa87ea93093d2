import { avatarUrl } from '../forge/accounts/avatar.ts'
import { ghost } from '../forge/accounts/ghost.ts'
import { printUser } from '../forge/accounts/user.shape.ts'
import { isPublicOnly, type OnSubject } from '../forge/auth/access.ts'
import type { Caller } from '../forge/auth/caller.ts'
import { permits } from '../forge/auth/scopes.ts'
import { signedInUserSeen, userSeen } from '../forge/auth/user-access.ts'
import { userCurrentDeleteFollow, userCurrentPutFollow } from '../forge/follows/follows.ts'
import { armorOfKeys } from '../forge/openpgp/armor.ts'
import { certificatesOf } from '../forge/openpgp/gpg-key-store.ts'
import { queryText } from '../forge/protocol/query.ts'
import { pageOfRepositories } from '../forge/repos/repo-list-store.ts'
import type { ForgeTools } from '../forge/route.ts'
import { contentsOfKeys } from '../forge/ssh-keys/key-store.ts'
import { badgesOf, type StoredBadge } from '../forge/users/badge-store.ts'
import { pageQuery } from '../http/route/page.ts'
import type { Route } from '../http/route/route.ts'
import { textAs } from '../http/route/sends.ts'
import { repositoryEntry } from './explore/repository-entry.ts'
import { unknownAction } from './form.ts'
import { counted, type Html, html, linkOf, timeOf, webAddress } from './html.ts'
import { card, type FeedLink, listOf, page } from './layout.ts'
import { noticeOf } from './operations/fields.ts'
import { operationForm, replyToForm } from './operations/form.ts'
import { forPages, type OnRequest } from './operations/perform.ts'
import type { Refusal } from './operations/refusal.ts'
import { newRepositoryLink, organizationTabs } from './organizations/heading.ts'
import { besideSection, followForm, tabLinks, tabSection, tabs } from './person/account-lists.ts'
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
  summary:
    'A person, bot or organization with its repositories, as a page; `tab` shows what a person has done in public or starred, who follows it, or whom it follows',
  access: forPages(userSeen('user')),
  query: { tab: queryText, page: pageQuery().page },
  ...pageReply,
  handler: ({ caller, query }) => accountPage(caller, query),
})

const form = operationForm(signedInUserSeen('user'))

export const followAccountByPage = route('POST /{username}', {
  ...form,
  summary: 'Follow an account, or end that',
  also: [401, 403],
  fails: [400, 404],
  handler: ({ caller: sender, body }) =>
    replyToForm(sender, body, {
      ask: ({ subject: { name } }) => {
        const operation = following.get(body.action ?? '')
        if (!operation) throw unknownAction()
        return { calls: [[operation, { params: { username: name } }]], leadsTo: name }
      },
      again: (caller, refusal) => accountPage(caller, { tab: '', page: 1 }, refusal),
    }),
})

/** The operations behind the form, by its action. */
const following: ReadonlyMap<string, Route<ForgeTools>> = new Map([
  ['follow', userCurrentPutFollow],
  ['unfollow', userCurrentDeleteFollow],
])

async function accountPage(
  caller: OnSubject & OnRequest,
  query: { tab: string; page: number },
  refusal?: Refusal,
): Promise<string> {
  const { subject, request } = caller
  const { host } = request.from
  const known = tabs.find((each) => each === query.tab)
  // The operations behind the lists are for those who are signed in.
  const tab = caller.me && subject.kind !== 'organization' ? known : undefined
  const { avatar_url, description } = printUser(subject, caller.me, host)
  const badges = await badgesOf(request.sql, subject.id)
  const isOrganization = subject.kind === 'organization'
  const main = html`<div class="profile">
<img src="${avatar_url}" alt="" width="88" height="88">
<div class="profile-text"><h1>${subject.full_name || subject.name}</h1>
<p class="quiet-text">${subject.name} <span class="badge">${kinds[subject.kind]}</span>${badges.map(badgeOf)}</p>
${description === '' ? undefined : html`<p dir="auto">${description}</p>`}</div>
<div class="actions">${await followForm(caller)}${isOrganization ? newRepositoryLink(host, caller) : undefined}</div></div>
${noticeOf(undefined, refusal)}
${isOrganization ? organizationTabs(host, caller, '') : tabLinks(host, caller, tab)}
<div class="panel">
${tab ? await tabSection(caller, tab, query.page) : await repositoriesSection(caller)}
<div class="column">${aboutSection(caller)}
${await besideSection(caller)}</div>
</div>`
  const feed: FeedLink = {
    title: subject.name,
    addressOf: (format) => `${host}${subject.name}.${format}`,
  }
  return page({ host, caller, title: subject.name, main, feed })
}

async function repositoriesSection(caller: OnSubject & OnRequest): Promise<Html> {
  const { subject, me, request } = caller
  const { sql, from } = request
  const { host } = from
  const reader = { me, publicOnly: isPublicOnly(caller) || !readsRepositories(caller) }
  const { rows, total } = await pageOfRepositories(
    sql,
    reader,
    { owner: subject.id },
    { page: 1, limit: maximum },
    'updated desc',
  )
  return card('repositories', counted(total, 'repository', 'repositories'))`${listOf(
    rows.map(({ row }) =>
      repositoryEntry({ ...row, path: `${subject.name}/${row.name}`, text: row.name }, host),
    ),
    'No repositories that you may see.',
  )}
${total > rows.length ? html`<p class="meta">and ${total - rows.length} more, by the API</p>` : undefined}`
}

function aboutSection({ subject, me, request }: OnSubject & OnRequest): Html {
  const { host } = request.from
  const { email: shown, website, location } = printUser(subject, me, host)
  // An address that is hidden from the visitor is a placeholder in answers of the API: nobody can write to it.
  const email = shown === subject.email && subject.kind !== 'organization' ? shown : ''
  return card('about', 'About')`<dl class="facts">
${location === '' ? undefined : html`<dt>Place</dt><dd>${location}</dd>`}
${website === '' ? undefined : html`<dt>Website</dt><dd>${linkOf(website) ?? website}</dd>`}
${email === '' ? undefined : html`<dt>Mail</dt><dd>${email}</dd>`}
<dt>Packages</dt><dd><a href="${host}${subject.name}/-/packages">All packages</a></dd>
<dt>Joined</dt><dd>${timeOf(subject.created_at)}</dd>
</dl>`
}

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
