import type { ConstraintViolation } from '../../http/database-errors.ts'
import { type Problem, unprocessable } from '../../http/route/problem.ts'
import type { Account } from './account.ts'

/** What is not deleted with its owner, by table: a reference to the account without "cascade" keeps it there. */
const belongings: Readonly<Record<string, string>> = {
  repository: 'repositories',
  package: 'packages',
  system_account: 'Actions',
}

/**
 * The refusal (422) to delete an account that still owns something, for `refusing`: what the database finds to refer to
 * the account decides, so nothing can be created in the meantime.
 */
export function stillOwns({ id }: Pick<Account, 'id'>): (broken: ConstraintViolation) => Problem | undefined {
  return ({ table }) => {
    const what = belongings[table]
    return what === undefined ? undefined : unprocessable(`user still has ownership of ${what} [uid: ${id}]`)
  }
}
