import type * as v from 'valibot'
import { mapConstraints } from '../../http/database-errors.ts'
import { found, unprocessable } from '../../http/route/problem.ts'
import { lockAccount, renameAccount } from '../accounts/account-store.ts'
import { nameFault, nameTaken, nameUnknown } from '../accounts/names.ts'
import { refuseSystem } from '../accounts/system-account.ts'
import { accountTarget, record } from '../audit/audit-trail.ts'
import type { SignedInOnSubject } from '../auth/access.ts'
import { moveMisplaced } from '../repos/directory.ts'
import type { ForgeContext } from '../route.ts'
import { notUserMessage } from './edit.ts'
import type { RenameUserOption } from './user.option.ts'

/**
 * Renames a user. A name equal to the current one, including case, changes nothing and is no error.
 * @throws Problem 404 gone, 422 organization, name
 */
export async function renameUser(
  context: ForgeContext<SignedInOnSubject, { body: v.InferOutput<typeof RenameUserOption> }>,
): Promise<void> {
  const { begin, body } = context
  const { subject } = context.caller
  const name = body.new_username
  if (subject.kind === 'organization') throw unprocessable(notUserMessage)
  if (name === subject.name) return
  refuseSystem(subject)
  const fault = nameFault(name)
  if (fault !== undefined) throw unprocessable(fault)
  const renamed = begin(async (tx) => {
    const user = found(await lockAccount(tx, subject.id), nameUnknown(subject.name))
    await renameAccount(tx, user, name)
    const target = accountTarget({ ...user, name })
    await record(tx, context, { action: 'user.renamed', target, details: { from: user.name } })
  })
  await mapConstraints(renamed, { account_name_unique: [422, nameTaken(name)] })
  await moveMisplaced(context, subject.id)
}
