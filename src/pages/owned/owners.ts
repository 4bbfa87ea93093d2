import { type SignedIn, type SignedInOnSubject, signedInFully } from '../../forge/auth/access.ts'
import { orgOwner } from '../../forge/auth/org-access.ts'
import {
  type OnRepository,
  repoAdmin,
  repoOwner,
  type SignedInOnRepository,
} from '../../forge/repos/access.ts'
import { issuesSeen, issueWriter } from '../../forge/repos/issue-access.ts'
import { notFound } from '../../http/route/problem.ts'
import { html } from '../html.ts'
import { rightsOn } from '../issues/rights.ts'
import { organizationSection } from '../organizations/settings-frame.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { repositorySection } from '../repositories/settings-frame.ts'
import { isSection, settingsFrame } from '../settings/settings-page.ts'
import type { Owner } from './owner.ts'

const repository = {
  params: ({ repo }: SignedInOnRepository) => ({ owner: repo.owner.name, repo: repo.name }),
  path: ({ repo }: SignedInOnRepository) => `${repo.owner.name}/${repo.name}/settings`,
  repository: ({ repo }: SignedInOnRepository) => repo.id,
  page: repositorySection,
}

/** A repository, for those who administer it. */
export const administeredRepository: Owner<SignedInOnRepository> = { ...repository, rule: repoAdmin() }

/** A repository, for those who own it. */
export const ownedRepository: Owner<SignedInOnRepository> = { ...repository, rule: repoOwner() }

/** The labels of a repository, which its readers see. */
export const labelledRepository: Owner<OnRepository> = {
  rule: issuesSeen(),
  params: ({ repo }) => ({ owner: repo.owner.name, repo: repo.name }),
  path: ({ repo }) => `${repo.owner.name}/${repo.name}`,
  mayChange: (caller) => rightsOn(caller).writes,
  page: (caller, { title, main }) => {
    const { from, sql } = caller.request
    const content = html`<h2>${title}</h2>
<div class="column">${main}</div>`
    return repositoryPage({ host: from.host, sql, caller, current: 'issues', title, main: content })
  },
}

/** The same, for those who may change them. */
export const changedLabels: Owner<SignedInOnRepository> = { ...labelledRepository, rule: issueWriter() }

/** An organization, for its owners. */
export const ownedOrganization: Owner<SignedInOnSubject> = {
  rule: orgOwner(),
  params: ({ subject }) => ({ org: subject.name }),
  path: ({ subject }) => `org/${subject.name}/settings`,
  page: organizationSection,
}

/** Who is signed in. */
export const oneself: Owner<SignedIn> = {
  rule: signedInFully('user'),
  params: () => ({}),
  path: () => 'settings',
  page: ({ request, ...caller }, { section, main }) => {
    const path = `settings/${section}`
    const [list = path] = ['settings/hooks'].filter((each) => path.startsWith(each))
    if (!isSection(list)) throw notFound()
    return settingsFrame({ caller, from: request.from }, list, main)
  },
}
