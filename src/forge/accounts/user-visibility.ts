import type { Sql } from '../../db/sql.ts'
import { found } from '../../http/route/problem.ts'
import { maySee } from '../auth/access.ts'
import { type Account, accountByName } from './account.ts'
import { nameUnknown } from './names.ts'

/** Users that a path or a body names besides its subject. A caller may not learn that one exists whom it may not see. */

/** Who asks about a user. */
export interface Asker {
  readonly me: Account | undefined
}

/** The user or bot of that name; an organization is no user. Undefined: nobody. */
export async function userByName(sql: Sql, name: string): Promise<Account | undefined> {
  const account = await accountByName(sql, name)
  return account?.kind === 'organization' ? undefined : account
}

/** Whether a caller may see a user, wherever it asks. */
export function seesUser(user: Pick<Account, 'id' | 'visibility'>, { me }: Asker): boolean {
  return maySee(user, { me, is_member: false })
}

/**
 * The user of that name, if the caller may see it, or if `isListed` says that the caller finds it in a list of this place
 * anyway (as a member of the team, as a collaborator). Undefined: nobody, or a user whose existence is not told.
 */
export async function visibleUser(
  sql: Sql,
  caller: Asker,
  name: string,
  isListed: (user: Account) => boolean | Promise<boolean>,
): Promise<Account | undefined> {
  const user = await userByName(sql, name)
  if (!user || seesUser(user, caller)) return user
  return (await isListed(user)) ? user : undefined
}

/** The same, where nobody is a 404. @throws Problem 404 */
export async function visibleUserNamed(
  sql: Sql,
  caller: Asker,
  name: string,
  isListed: (user: Account) => boolean | Promise<boolean>,
): Promise<Account> {
  return found(await visibleUser(sql, caller, name, isListed), nameUnknown(name))
}
