import type { Account } from '../accounts/account-store.ts'

/** A repository as access rules see it, with the access level of the account in the same row. */
export interface Repo {
  id: number
  name: string
  /** The current owner, which differs from the account in the path if that one formerly had the repository. */
  owner: Pick<Account, 'id' | 'name' | 'visibility'>
  is_private: boolean
  is_archived: boolean
  /** A number of `LEVELS`, not counting what everyone may do. */
  level: number
  /** Which units are not turned off for the repository. */
  has_code: boolean
  has_issues: boolean
  has_actions: boolean
  has_releases: boolean
}
