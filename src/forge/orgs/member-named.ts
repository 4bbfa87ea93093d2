import type { Sql } from '../../db/sql.ts'
import { type Problem, unprocessable } from '../../http/route/problem.ts'
import type { Account } from '../accounts/account-store.ts'
import type { OnSubject } from '../auth/access.ts'
import { visibleUserNamed } from '../auth/user-visibility.ts'
import { membershipOf } from './membership-store.ts'

/** The refusal to remove the last owner, which would leave the organization without an administrator. */
export function lastOwner({ id }: Account): Problem {
  return unprocessable(`user is the last owner of the organization [uid: ${id}]`)
}

/**
 * The user with that name, if the caller may see the user or the user is a member of the organization.
 * @throws Problem 404
 */
export function memberNamed(sql: Sql, caller: OnSubject, name: string): Promise<Account> {
  return visibleUserNamed(sql, caller, name, async ({ id }) => {
    const membership = await membershipOf(sql, caller.subject.id, id)
    return membership !== undefined && (membership.is_public || seesAllMembers(caller))
  })
}

export const seesAllMembers = ({ me, is_member }: OnSubject) => me?.is_admin || is_member
