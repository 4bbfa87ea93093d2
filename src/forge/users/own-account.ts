import type { Tx } from '../../db/sql.ts'
import { found } from '../../http/route/problem.ts'
import { type Account, type AccountEdit, updateAccount } from '../accounts/account-store.ts'
import { type WithUndefined, withoutUndefined } from '../accounts/edits.ts'
import { refuseSystem } from '../accounts/system-account.ts'
import { accountTarget, record } from '../audit/audit-trail.ts'
import type { SignedIn } from '../auth/access.ts'
import type { ForgeContext } from '../route.ts'

/**
 * Changes the caller's own account, and returns what `print` makes of it in the same transaction. Undefined members stay
 * unchanged.
 * @throws Problem 404 gone, 422 a system account
 */
export async function editOneself<Printed>(
  context: Pick<ForgeContext<SignedIn>, 'begin' | 'caller' | 'from'>,
  edit: WithUndefined<AccountEdit>,
  print: (tx: Tx, me: Account) => Promise<Printed>,
): Promise<Printed> {
  const { me } = context.caller
  refuseSystem(me)
  const details = withoutUndefined(edit)
  return context.begin(async (tx) => {
    if (Object.keys(details).length === 0) return print(tx, me)
    const edited = found(await updateAccount(tx, me.id, details))
    await record(tx, context, { action: 'user.edited', target: accountTarget(edited), details })
    return print(tx, edited)
  })
}
