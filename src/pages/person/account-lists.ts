import { User } from '../../forge/accounts/user.shape.ts'
import type { OnSubject } from '../../forge/auth/access.ts'
import { isFollowing } from '../../forge/follows/follow-store.ts'
import { userListFollowers, userListFollowing } from '../../forge/follows/follows.ts'
import { orgListMembers } from '../../forge/orgs/members.ts'
import { Organization } from '../../forge/orgs/organization.shape.ts'
import { orgListUserOrgs } from '../../forge/orgs/user-orgs.ts'
import { Repository } from '../../forge/repos/repo.shape.ts'
import { userListStarred } from '../../forge/stars/stars.ts'
import { accountEntry } from '../explore/account-entry.ts'
import { repositoryEntry } from '../explore/repository-entry.ts'
import { shownActivity } from '../feeds/account-activity.ts'
import { addressOfActivity, titleOfActivity } from '../feeds/activity-entries.ts'
import { buttonForm } from '../form.ts'
import { type Html, html, timeOf, withQuery } from '../html.ts'
import { card, inOrder, listOf, pageLinks } from '../layout.ts'
import { rowOf } from '../list.ts'
import { type OnRequest, readPage } from '../operations/perform.ts'
import { outcomeOf } from '../operations/refusal.ts'

// What the page of an account lists besides its repositories, as far as operations of the API show it to the reader.

type Reader = OnSubject & OnRequest

/** The lists of an account, by the `tab` in the address of its page, as the original names them. */
export const tabs = ['activity', 'stars', 'followers', 'following'] as const
type Tab = (typeof tabs)[number]

const names: Readonly<Record<Tab, string>> = {
  activity: 'Activity in public',
  stars: 'Starred repositories',
  followers: 'Followers',
  following: 'Follows',
}

/** Bounds of the lists beside the repositories, and of a page of another list. */
const maximum = { beside: 12, page: 30 }

/** Links to the lists of a person, with how many each has. Operations count what they hide from the reader, too. */
export function tabLinks(host: string, { subject, me }: Reader, current: Tab | undefined): Html | undefined {
  if (subject.kind === 'organization' || !me) return undefined
  const { name, starred_repos_count, followers_count, following_count } = subject
  const link = (tab: Tab | '', text: string, count?: number) =>
    html`<li><a href="${withQuery(host + name, { tab })}"${tab === (current ?? '') ? html` aria-current="page"` : undefined}>${text}${count === undefined ? undefined : html` <span class="count">${count}</span>`}</a></li>`
  return html`<nav class="tabs" aria-label="Profile"><ul>${link('', 'Repositories')}${link('activity', 'Activity')}${link('stars', 'Starred', starred_repos_count)}${link('followers', 'Followers', followers_count)}${link('following', 'Follows', following_count)}</ul></nav>`
}

/** A page of one of these lists. @throws Problem */
export async function tabSection(caller: Reader, tab: Tab, page: number): Promise<Html> {
  const { host } = caller.request.from
  const { name } = caller.subject
  if (tab === 'activity') return activitySection(caller)
  const input = { params: { username: name }, query: pageOf(page, maximum.page) }
  const links = (list: { total: number; page: number; limit: number }) =>
    pageLinks(list, host + name, { tab }, inOrder)
  if (tab === 'stars') {
    const list = await readPage(caller, userListStarred, Repository, input)
    return card(tab, names[tab])`${listOf(
      list.rows.map((each) =>
        repositoryEntry(
          {
            ...each,
            path: each.full_name,
            is_private: each.private,
            is_archived: each.archived,
            is_template: each.template,
          },
          host,
        ),
      ),
      'No starred repositories that you may see.',
    )}
${links(list)}`
  }
  const list = await readPage(
    caller,
    tab === 'followers' ? userListFollowers : userListFollowing,
    User,
    input,
  )
  return card(tab, names[tab])`${listOf(
    list.rows.map((each) => accountEntry(each, host)),
    tab === 'followers' ? 'No followers yet.' : 'No people whom this account follows yet.',
  )}
${links(list)}`
}

async function activitySection(caller: Reader): Promise<Html> {
  const { sql, from } = caller.request
  const rows = await shownActivity(sql, caller, maximum.page)
  return card('activity', names.activity)`${listOf(
    rows.map((each) =>
      rowOf(
        html`<a href="${addressOfActivity(from.host, each)}">${titleOfActivity(each)}</a>`,
        html`${each.owner}/${each.name} ${timeOf(each.at)}`,
      ),
    ),
    'No activity that you may see.',
  )}`
}

const pageOf = (page: number, limit: number) => ({ page: String(page), limit: String(limit) })

/** The organizations of a person, or the people of an organization; undefined if the reader may see none. */
export async function besideSection(caller: Reader): Promise<Html | undefined> {
  const { subject, me } = caller
  const isOrganization = subject.kind === 'organization'
  // Operations show members to those who are signed in.
  if (isOrganization && !me) return undefined
  const query = pageOf(1, maximum.beside)
  const reading = isOrganization
    ? readPage(caller, orgListMembers, User, { params: { org: subject.name }, query })
    : readPage(caller, orgListUserOrgs, Organization, { params: { username: subject.name }, query })
  const outcome = await outcomeOf(
    reading.then(({ rows, total }) => ({
      total,
      entries: rows.map((each) =>
        'name' in each ? [each.name, each.avatar_url] : [each.login, each.avatar_url],
      ),
    })),
    {},
    [403, 404],
  )
  if (!outcome.ok || outcome.value.entries.length === 0) return undefined
  const { entries, total } = outcome.value
  const { host } = caller.request.from
  const [id, heading] = isOrganization ? ['people', 'People'] : ['organizations', 'Organizations']
  return card(id, heading)`<ul class="list">${entries.map(
    ([name, picture]) =>
      html`<li class="account-entry"><img src="${picture}" alt="" width="24" height="24"> <a href="${host}${name}">${name}</a></li>`,
  )}</ul>
${total > entries.length ? html`<p class="meta">${isOrganization ? html`<a href="${host}org/${subject.name}/members">All ${total}</a>` : `and ${total - entries.length} more`}</p>` : undefined}`
}

/** The form that follows an account or ends that; for others than the reader. */
export async function followForm({ subject, me, request }: Reader): Promise<Html | undefined> {
  if (!me || me.id === subject.id) return undefined
  const [action, text] = (await isFollowing(request.sql, me.id, subject.id))
    ? ['unfollow', 'Unfollow']
    : ['follow', 'Follow']
  return buttonForm(`${request.from.host}${subject.name}`, text, `${text} ${subject.name}`, { action })
}
