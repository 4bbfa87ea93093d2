import type { Tx } from '../../db/sql.ts'
import { found } from '../../http/route/problem.ts'
import { type Account, type AccountEdit, updateAccount } from '../accounts/account-store.ts'
import { refuseSystem } from '../accounts/system-account.ts'
import { accountTarget, record } from '../admin/audit-trail.ts'
import type { SignedIn } from '../auth/access.ts'
import type { ForgeContext } from '../route.ts'

/** Columns that people may change of their own account; what is undefined stays. */
type OwnEdit = { [Column in keyof AccountEdit]: AccountEdit[Column] | undefined }

/**
 * Changes the caller's own account, and gives what `print` makes of it in the same transaction.
 * @throws Problem 404 gone, 422 a system account
 */
export async function editOneself<Printed>(
  context: Pick<ForgeContext<SignedIn>, 'begin' | 'caller' | 'from'>,
  wanted: OwnEdit,
  print: (tx: Tx, me: Account) => Promise<Printed>,
): Promise<Printed> {
  const { me } = context.caller
  refuseSystem(me)
  const edit = given(wanted)
  return context.begin(async (tx) => {
    if (Object.keys(edit).length === 0) return print(tx, me)
    const edited = found(await updateAccount(tx, me.id, edit))
    await record(tx, context, { action: 'user.edited', target: accountTarget(edited), details: { ...edit } })
    return print(tx, edited)
  })
}

/** Without the members that are undefined. */
function given(edit: OwnEdit): AccountEdit {
  return Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined))
}
