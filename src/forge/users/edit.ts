import type * as v from 'valibot'
import type { Tx } from '../../db/sql.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { badRequest, found, unprocessable } from '../../http/route/problem.ts'
import {
  type Account,
  type AccountEdit,
  type AccountKind,
  lockAccount,
  lockAdministrators,
  updateAccount,
} from '../accounts/account-store.ts'
import { isLastAdministrator } from '../accounts/administrator-store.ts'
import { changedMembers } from '../accounts/edits.ts'
import {
  addressTakenMessage,
  type EmailAddress,
  invalidAddressMessage,
  parseAddress,
} from '../accounts/email-address.ts'
import { nameUnknown } from '../accounts/names.ts'
import { refuseSystem } from '../accounts/system-account.ts'
import { isVisibility } from '../accounts/visibility.ts'
import { accountTarget, record } from '../audit/audit-trail.ts'
import type { SignedInOnSubject } from '../auth/access.ts'
import { type PasswordRules, passwordFault, passwordMessageOnEdit } from '../auth/password-rules.ts'
import { upsertPassword } from '../auth/password-store.ts'
import type { ForgeContext } from '../route.ts'
import { hashPassword, noLoginSourceMessage } from './creation.ts'
import type { EditUserOption } from './user.option.ts'
import { setPrimaryAddress } from './user-store.ts'

type Input = v.InferOutput<typeof EditUserOption>

/** The changes that an edit makes: columns, primary address, password. */
interface Changes {
  columns: AccountEdit
  email: EmailAddress | undefined
  password: string
}

/**
 * Edits a user, all or nothing. Whether the input is valid depends on the account, so it is validated before a password
 * is hashed, and again on the locked row.
 * @throws Problem 400 type, password, address, last administrator; 404 gone; 409 address taken; 422
 */
export async function editUser(context: ForgeContext<SignedInOnSubject, { body: Input }>): Promise<Account> {
  const { body, begin, tools } = context
  const { subject } = context.caller
  refuseSystem(subject)
  const { password } = changesOf(body, subject, tools.passwordRules)
  const hash = password === '' ? undefined : await hashPassword(password, tools.passwords)
  const edited = begin(async (tx) => {
    if (mayDemote(body)) await lockAdministrators(tx)
    const user = found(await lockAccount(tx, subject.id), nameUnknown(subject.name))
    const changes = changesOf(body, user, tools.passwordRules)
    if (await isLastAdministrator(tx, user, { ...user, ...changes.columns }))
      throw badRequest(lastAdminMessage(user.id))
    return (await apply(tx, context, user, changes, hash)) ?? user
  })
  return mapConstraints(edited, { email_address_unique: [409, addressTakenMessage(body.email ?? '')] })
}

/** The message for an edit or deletion that would leave no administrator. */
export const lastAdminMessage = (id: number) => `can not delete the last admin user [uid: ${id}]`

async function apply(
  tx: Tx,
  context: ForgeContext<SignedInOnSubject, { body: Input }>,
  user: Account,
  { columns, email, password }: Changes,
  hash: string | undefined,
): Promise<Account | undefined> {
  const details = {
    ...columns,
    ...(email && { email: email.address }),
    // Records that the password was changed, never the password.
    ...(password !== '' && { password: 'changed' }),
  }
  if (Object.keys(details).length === 0) return user
  if (email) await setPrimaryAddress(tx, user, email)
  if (password !== '' && hash !== undefined) await upsertPassword(tx, user.id, hash)
  const target = accountTarget(user)
  await record(tx, context, { action: `${target.kind}.edited`, target, details })
  return updateAccount(tx, user.id, columns)
}

/** @throws Problem 400, 422 */
function changesOf(body: Input, account: Account, rules: PasswordRules): Changes {
  const kind = kindOf(body.type, account.kind)
  if (kind === 'organization') refuseForOrganization(body)
  if (kind === 'bot' && (body.password !== '' || body.source_id !== 0)) {
    throw badRequest('a bot has neither a password nor a login source')
  }
  if (body.source_id !== 0) throw unprocessable(noLoginSourceMessage(body.source_id))
  // Accounts from an external directory have their password there.
  const password = account.source_id === 0 ? body.password : ''
  const weakness = password === '' ? undefined : passwordFault(password, rules)
  if (weakness) throw badRequest(passwordMessageOnEdit(weakness))
  return { columns: columnsOf(body, account, kind), email: addressOf(body.email, account), password }
}

/** @throws Problem 400 */
function kindOf(type: string, present: AccountKind): AccountKind {
  if (type === '' || (present === 'organization' && type === 'Organization')) return present
  const kind = present === 'organization' ? undefined : userKinds.get(type)
  if (!kind) throw badRequest(`invalid user type "${type}" (expected User, Bot)`)
  return kind
}

const userKinds: ReadonlyMap<string, AccountKind> = new Map([
  ['User', 'person'],
  ['Bot', 'bot'],
])

/** @throws Problem 422 for members that only apply to accounts that sign in */
function refuseForOrganization({ email, password, admin }: Input): void {
  if (email !== undefined || password !== '' || admin) throw unprocessable(notUserMessage)
}

/** The message (422) for an operation that only applies to users and bots. */
export const notUserMessage = 'target is an organization but not user'

/** The new primary address; undefined when absent or unchanged. @throws Problem 400 */
function addressOf(address: string | undefined, account: Account): EmailAddress | undefined {
  if (address === undefined) return undefined
  const parsed = parseAddress(address)
  if (!parsed.ok) throw badRequest(invalidAddressMessage(parsed.fault))
  const present = parseAddress(account.email)
  return present.ok && present.value.key === parsed.value.key ? undefined : parsed.value
}

/** Only the columns that differ from the stored ones. @throws Problem 422 */
function columnsOf(body: Input, account: Account, kind: AccountKind): AccountEdit {
  return changedMembers(account, {
    kind,
    login_name: body.login_name,
    full_name: body.full_name,
    website: body.website,
    location: body.location,
    description: body.description,
    visibility: isVisibility(body.visibility) ? body.visibility : undefined,
    is_active: body.active,
    is_admin: body.admin,
    is_restricted: body.restricted,
    prohibit_login: body.prohibit_login,
    must_change_password: body.must_change_password,
    allow_git_hook: body.allow_git_hook,
    allow_import_local: body.allow_import_local,
    allow_create_organization: body.allow_create_organization,
    max_repo_creation: repositoryLimit(body.max_repo_creation),
  })
}

/** Any value below -1 becomes -1, the site's default. @throws Problem 422 beyond the range of the column */
function repositoryLimit(limit: number | undefined): number | undefined {
  if (limit === undefined) return undefined
  if (limit > 2 ** 31 - 1) throw unprocessable('[MaxRepoCreation]: Range')
  return Math.max(limit, -1)
}

function mayDemote({ admin, active, prohibit_login, must_change_password, type }: Input): boolean {
  const isExcluded = active === false || prohibit_login === true || must_change_password === true
  return admin === false || isExcluded || type === 'Bot'
}
