import { accountPictureUrl } from '../../forge/accounts/avatar.ts'
import type { OnSubject } from '../../forge/auth/access.ts'
import { type Html, html, withQuery } from '../html.ts'

/** The pages of an organization that its navigation leads to, and who sees them. */
const tabs = [
  ['', 'Repositories', 'everybody'],
  ['members', 'People', 'everybody'],
  ['teams', 'Teams', 'members'],
  ['settings', 'Settings', 'owners'],
] as const
type OrganizationTab = (typeof tabs)[number][0]

/** The name of an organization, and links to its pages that the caller may see. */
export function organizationHeading(host: string, caller: OnSubject, current: OrganizationTab): Html {
  const { subject } = caller
  return html`<div class="title"><h1><img class="title-picture" src="${accountPictureUrl(host, subject)}" alt=""> <a href="${host}${subject.name}">${subject.full_name || subject.name}</a></h1>
${organizationTabs(host, caller, current)}</div>`
}

/** Links to the pages of an organization that the caller may see. */
export function organizationTabs(host: string, caller: OnSubject, current: OrganizationTab): Html {
  const entries = shownTabs(host, caller).map(
    ([path, text, address]) =>
      html`<li><a href="${address}"${path === current ? html` aria-current="page"` : undefined}>${text}</a></li>`,
  )
  return html`<nav class="tabs" aria-label="Organization"><ul>${entries}</ul></nav>`
}

/** The way to a new repository in an organization, for its members. */
export const newRepositoryLink = (host: string, caller: OnSubject): Html | undefined =>
  isAmong(caller, 'members')
    ? html`<a class="button" href="${withQuery(`${host}repo/create`, { owner: caller.subject.name })}">New repository</a>`
    : undefined

function shownTabs(host: string, caller: OnSubject) {
  const { name } = caller.subject
  const shown = tabs.filter(([, , who]) => who === 'everybody' || isAmong(caller, who))
  return shown.map(
    ([path, text]) => [path, text, path === '' ? host + name : `${host}org/${name}/${path}`] as const,
  )
}

/** Administrators of the site count as owners. */
function isAmong({ me, is_member, is_owner }: OnSubject, who: 'members' | 'owners'): boolean {
  if (!me) return false
  return me.is_admin || is_owner || (who === 'members' && is_member)
}
