import type { ConstraintViolation } from '../../http/database-errors.ts'
import { type Problem, unprocessable } from '../../http/route/problem.ts'
import type { Account } from './account.ts'

/** The tables whose rows block the deletion of their owner: their foreign keys to the account do not cascade. */
const ownedTables: Readonly<Record<string, string>> = {
  repository: 'repositories',
  package: 'packages',
  system_account: 'Actions',
}

/**
 * Maps a violated foreign key to the refusal (422) to delete an account that still owns something. The database
 * decides, so a row that is created concurrently cannot be missed.
 */
export function stillOwns({ id }: Pick<Account, 'id'>): (broken: ConstraintViolation) => Problem | undefined {
  return ({ table }) => {
    const what = ownedTables[table]
    return what === undefined ? undefined : unprocessable(`user still has ownership of ${what} [uid: ${id}]`)
  }
}
