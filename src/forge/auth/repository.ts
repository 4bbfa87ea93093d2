import type { Account } from '../accounts/account.ts'

/** A repository as permission sees it, and what the account beside it may do there. */
export interface Repo {
  id: number
  name: string
  /** Not the account in the path, where that had it before. */
  owner: Pick<Account, 'id' | 'name' | 'visibility'>
  is_private: boolean
  is_archived: boolean
  /** A number of `LEVELS`, without what everybody may. */
  level: number
  /** Whether there may be any: issues can be switched off. */
  has_issues: boolean
}
