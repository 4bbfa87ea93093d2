import { extendCaller, type SignedIn, signedInFully, siteAdmin } from '../auth/access.ts'
import { orgOwner } from '../auth/org-access.ts'
import { repoAdmin } from '../repos/access.ts'
import type { HookFilter, HookScope } from '../webhooks/hook-store.ts'

/** Who owns the hooks of a path: the site, a user, an organization or a repository. */
export interface HookOwner {
  /** Selects the owner's hooks. */
  filter: HookFilter
  /** The scope of a new hook; `system` comes from its `config` and matters for hooks of the site only. */
  scopeOf: (system: boolean) => HookScope
  /** The owner's name in the audit trail. */
  name: string
}

/** The caller of an operation on hooks. */
export type OnHooks = SignedIn & { owner: HookOwner }

// The callers of operations on hooks, by whose hooks a path names.

export const hooksOfSite = extendCaller(siteAdmin(), () => ({
  owner: ownerOf({ site: 'all' }, (system) => ({ kind: system ? 'system' : 'default' }), 'site'),
}))

export const hooksOfRepository = extendCaller(repoAdmin(), ({ repo, subject }) => ({
  owner: ownerOf(
    { repository: repo.id },
    () => ({ kind: 'repository', repository: repo.id }),
    `${subject.name}/${repo.name}`,
  ),
}))

export const hooksOfOrganization = extendCaller(orgOwner(), ({ subject: { id, name } }) => ({
  owner: ownerOf({ owner: id }, () => ({ kind: 'organization', owner: id }), name),
}))

export const hooksOfUser = extendCaller(signedInFully('user'), ({ me: { id, name } }) => ({
  owner: ownerOf({ owner: id }, () => ({ kind: 'user', owner: id }), name),
}))

const ownerOf = (filter: HookFilter, scopeOf: HookOwner['scopeOf'], name: string): HookOwner => ({
  filter,
  scopeOf,
  name,
})
