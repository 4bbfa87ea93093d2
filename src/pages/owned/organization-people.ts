import type { SignedInOnSubject } from '../../forge/auth/access.ts'
import { orgMember, orgOwner, signedInOrgSeen } from '../../forge/auth/org-access.ts'
import { html } from '../html.ts'
import { page } from '../layout.ts'
import { organizationHeading } from '../organizations/heading.ts'
import type { Owner } from './owner.ts'

// The people and teams of an organization, beside its other pages.

const organization = (tab: 'members' | 'teams'): Omit<Owner<SignedInOnSubject>, 'rule'> => ({
  params: ({ subject }) => ({ org: subject.name }),
  path: ({ subject }) => `org/${subject.name}`,
  page: (caller, { title, main }) => {
    const { host } = caller.request.from
    const whole = html`${organizationHeading(host, caller, tab)}
<h2>${title}</h2>
<div class="column">${main}</div>`
    return page({ host, caller, title: `${title} · ${caller.subject.name}`, main: whole })
  },
})

/** An organization, for everybody who sees it and is signed in. */
export const seenOrganization: Owner<SignedInOnSubject> = {
  ...organization('members'),
  rule: signedInOrgSeen(),
}

/** An organization, for its members; its owners change its teams. */
export const memberOrganization: Owner<SignedInOnSubject> = {
  ...organization('teams'),
  rule: orgMember(),
  mayChange: ({ me, is_owner }) => me.is_admin || is_owner,
}

/** The same, to be changed. */
export const changedTeams: Owner<SignedInOnSubject> = { ...memberOrganization, rule: orgOwner() }
