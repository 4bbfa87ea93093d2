import type * as v from 'valibot'
import { mapConstraints } from '../../http/database-errors.ts'
import { badRequest, unavailable, unprocessable } from '../../http/route/problem.ts'
import type { Conflicts } from '../../http/route/route.ts'
import { insertMail } from '../../mail/mail-store.ts'
import type { Account } from '../accounts/account-store.ts'
import { addressTakenMessage, invalidAddressMessage, parseAddress } from '../accounts/email-address.ts'
import { nameFault, nameTaken } from '../accounts/names.ts'
import { isVisibility } from '../accounts/visibility.ts'
import { accountTarget, record } from '../audit/audit-trail.ts'
import type { SignedIn } from '../auth/access.ts'
import type { Passwords } from '../auth/password.ts'
import { passwordFault, passwordMessageOnCreate } from '../auth/password-rules.ts'
import type { ForgeContext, ForgeTools } from '../route.ts'
import type { CreateUserOption } from './user.option.ts'
import { insertPerson, type PersonDraft } from './user-store.ts'

type Input = v.InferOutput<typeof CreateUserOption>

/**
 * Creates a user with a verified address. If both name and address are taken, the name is reported.
 * @throws Problem 400 password, 409 taken, 422
 */
export async function createUser(context: ForgeContext<SignedIn, { body: Input }>): Promise<Account> {
  const { body, begin, tools } = context
  const draft = draftOf(body, tools)
  const password = await hashPassword(body.password, tools.passwords)
  const created = begin(async (tx) => {
    const user = await insertPerson(tx, { ...draft, password })
    const target = accountTarget(user)
    const { full_name, email, visibility, is_restricted, must_change_password } = user
    const details = { full_name, email, visibility, is_restricted, must_change_password }
    await record(tx, context, { action: 'user.created', target, details })
    if (body.send_notify && tools.sendsMail)
      await insertMail(tx, { kind: 'account_made', recipient: user.email, account: user.id })
    return user
  })
  return mapConstraints(created, takenBy(body.username, body.email))
}

/** The refusals (409) of a person whose name or address another account has. */
export const takenBy = (name: string, address: string): Conflicts => ({
  account_name_unique: [409, nameTaken(name)],
  email_address_unique: [409, addressTakenMessage(address)],
})

/** The message (422) for an unknown login source. The only source is this server itself, 0. */
export const noLoginSourceMessage = (id: number) => `login source does not exist [id: ${id}]`

/** Hashes a password. Slow: never call it inside a transaction. @throws Problem 503 when too many are waiting */
export async function hashPassword(password: string, passwords: Passwords): Promise<string> {
  const hash = await passwords.hash(password)
  if (hash === 'busy') throw unavailable('too many passwords are being checked')
  return hash
}

/** Validates in the order in which faults are reported. @throws Problem 400, 422 */
function draftOf(body: Input, { passwordRules }: Pick<ForgeTools, 'passwordRules'>): PersonDraft {
  if (body.source_id !== 0) throw unprocessable(noLoginSourceMessage(body.source_id))
  const weakness = passwordFault(body.password, passwordRules)
  if (weakness) throw badRequest(passwordMessageOnCreate(weakness))
  const fault = nameFault(body.username)
  if (fault !== undefined) throw unprocessable(fault)
  const address = parseAddress(body.email)
  if (!address.ok) throw unprocessable(invalidAddressMessage(address.fault))
  return {
    name: body.username,
    email: address.value,
    full_name: body.full_name,
    login_name: body.login_name,
    is_restricted: body.restricted ?? false,
    must_change_password: body.must_change_password ?? true,
    visibility: isVisibility(body.visibility) ? body.visibility : 'public',
    ...(body.created_at && { created_at: body.created_at }),
  }
}
