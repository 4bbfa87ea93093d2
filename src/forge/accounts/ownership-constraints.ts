import type { Conflicts } from '../../http/route/route.ts'
import type { Account } from './account-store.ts'

/**
 * The refusals (422) to delete an account that still owns something, by the foreign keys that do not cascade. The
 * database decides, so a row that is created concurrently cannot be missed.
 */
export function stillOwns({ id }: Pick<Account, 'id'>): Conflicts {
  const owns = (what: string) => [422, `user still has ownership of ${what} [uid: ${id}]`] as const
  return {
    repository_owner_known: owns('repositories'),
    package_owner_known: owns('packages'),
    system_account_account_known: owns('Actions'),
  }
}
