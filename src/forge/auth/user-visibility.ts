import type { Sql } from '../../db/sql.ts'
import { found } from '../../http/route/problem.ts'
import { type Account, accountByName } from '../accounts/account-store.ts'
import { nameUnknown } from '../accounts/names.ts'
import type { VisibleUsers } from '../accounts/user-list-store.ts'
import { isPublicOnly, maySee } from './access.ts'
import type { Caller } from './caller.ts'

/**
 * Look-ups of users that a path or body names in addition to its target. A caller must not learn that a user exists
 * whom it may not see.
 */

/** The caller of such a look-up. */
interface Viewer {
  readonly me: Account | undefined
}

/** Whether a caller may see a user. */
export function seesUser(user: Pick<Account, 'id' | 'visibility'>, { me }: Viewer): boolean {
  return maySee(user, { me, is_member: false })
}

/**
 * The user or bot with that name, if the caller may see it or if `isListed` says that the caller has it in a list anyway (as a
 * team member, as a collaborator). Undefined for an unknown or invisible user.
 */
export async function visibleUser(
  sql: Sql,
  caller: Viewer,
  name: string,
  isListed: (user: Account) => boolean | Promise<boolean>,
): Promise<Account | undefined> {
  const user = await accountByName(sql, name)
  if (user?.kind === 'organization') return undefined
  if (!user || seesUser(user, caller)) return user
  return (await isListed(user)) ? user : undefined
}

/** Like `visibleUser`. @throws Problem 404 if there is none */
export async function visibleUserNamed(
  sql: Sql,
  caller: Viewer,
  name: string,
  isListed: (user: Account) => boolean | Promise<boolean>,
): Promise<Account> {
  return found(await visibleUser(sql, caller, name, isListed), nameUnknown(name))
}

/** The users that a search shows to a caller: to restricted users themselves, to others also those that `maySee` allows. */
export function usersListedTo(caller: Pick<Caller, 'me' | 'token'>): {
  visible: VisibleUsers
  only?: number
  self?: number
} {
  const { me } = caller
  const only = me?.is_restricted && !me.is_admin ? { only: me.id } : {}
  if (!me || isPublicOnly(caller)) return { visible: 'public', ...only }
  if (me.is_admin || me.is_restricted) return { visible: 'everything', ...only }
  return { visible: 'not private', self: me.id }
}
