import { accountPictureUrl } from '../../forge/accounts/avatar.ts'
import type { OnSubject } from '../../forge/auth/access.ts'
import { type Html, html } from '../html.ts'

/** The pages of an organization that its navigation leads to, and who sees them. */
const tabs = [
  ['', 'Repositories', 'everybody'],
  ['members', 'People', 'everybody'],
  ['teams', 'Teams', 'members'],
  ['settings', 'Settings', 'owners'],
] as const
export type OrganizationTab = (typeof tabs)[number][0]

/** The name of an organization, and links to its pages that the caller may see. */
export function organizationHeading(host: string, caller: OnSubject, current: OrganizationTab): Html {
  const { subject } = caller
  const shown = tabs.filter(([, , who]) => who === 'everybody' || isAmong(caller, who))
  const addressOf = (path: string) =>
    path === '' ? host + subject.name : `${host}org/${subject.name}/${path}`
  return html`<div class="title"><h1><img class="title-picture" src="${accountPictureUrl(host, subject)}" alt=""> <a href="${host}${subject.name}">${subject.full_name || subject.name}</a></h1>
<nav aria-label="Organization"><ul>${shown.map(([path, text]) => html`<li><a href="${addressOf(path)}"${path === current ? html` aria-current="page"` : undefined}>${text}</a></li>`)}</ul></nav></div>`
}

/** Administrators of the site count as owners. */
function isAmong({ me, is_member, is_owner }: OnSubject, who: 'members' | 'owners'): boolean {
  if (!me) return false
  return me.is_admin || is_owner || (who === 'members' && is_member)
}
