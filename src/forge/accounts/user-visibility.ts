import type { Sql } from '../../db/sql.ts'
import { found } from '../../http/route/problem.ts'
import { maySee } from '../auth/access.ts'
import { type Account, accountByName } from './account.ts'
import { nameUnknown } from './names.ts'

/**
 * Look-ups of users that a path or body names in addition to its target. A caller must not learn that a user exists
 * whom it may not see.
 */

/** The caller of such a look-up. */
interface Viewer {
  readonly me: Account | undefined
}

/** The user or bot with that name; undefined for an organization or an unknown name. */
async function userByName(sql: Sql, name: string): Promise<Account | undefined> {
  const account = await accountByName(sql, name)
  return account?.kind === 'organization' ? undefined : account
}

/** Whether a caller may see a user. */
export function seesUser(user: Pick<Account, 'id' | 'visibility'>, { me }: Viewer): boolean {
  return maySee(user, { me, is_member: false })
}

/**
 * The user with that name, if the caller may see it or if `isListed` says that the caller has it in a list anyway (as a
 * team member, as a collaborator). Undefined for an unknown or invisible user.
 */
export async function visibleUser(
  sql: Sql,
  caller: Viewer,
  name: string,
  isListed: (user: Account) => boolean | Promise<boolean>,
): Promise<Account | undefined> {
  const user = await userByName(sql, name)
  if (!user || seesUser(user, caller)) return user
  return (await isListed(user)) ? user : undefined
}

/** The same, but throws if there is none. @throws Problem 404 */
export async function visibleUserNamed(
  sql: Sql,
  caller: Viewer,
  name: string,
  isListed: (user: Account) => boolean | Promise<boolean>,
): Promise<Account> {
  return found(await visibleUser(sql, caller, name, isListed), nameUnknown(name))
}
