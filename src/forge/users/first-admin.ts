import { OperatorError } from '../../common/errors.ts'
import type { Begin, Pool, Tx } from '../../db/sql.ts'
import {
  accountByName,
  administratorExists,
  lockAdministrators,
  updateAccount,
} from '../accounts/account-store.ts'
import { type EmailAddress, parseAddress } from '../accounts/email-address.ts'
import { accountTarget, record } from '../audit/audit-trail.ts'
import type { Passwords } from '../auth/password.ts'
import { newPassword, type PasswordRules, passwordFault } from '../auth/password-rules.ts'
import { upsertPassword } from '../auth/password-store.ts'
import { EVERY_SCOPE } from '../auth/scopes.ts'
import { insertToken } from '../auth/token-store.ts'
import { insertPerson } from './user-store.ts'

/** The administrator that the operator configures; absent members are generated. */
export interface AdminDraft {
  username: string | undefined
  email: string | undefined
  password: string | undefined
  token: string | undefined
}

interface FirstAdminDeps {
  pool: Pool
  begin: Begin
  passwords: Passwords
  input: AdminDraft
  /** The rules for its password. */
  passwordRules: PasswordRules
  /** Public root URL, for the address when none is given. */
  root: string
  /** Called before anything is created; if it fails, nothing is. */
  beforeMaking: () => Promise<unknown>
}

/** The configured administrator is invalid; the operator can correct it. */
class AdminDraftError extends OperatorError {
  override readonly exitCode = 2
}

/** The result. `password` is set if it was generated, and is stored nowhere else. */
interface FirstAdmin {
  name: string
  password: string | undefined
}

/**
 * Creates the first administrator if there is none: a new person, or the existing one with the configured name.
 * Undefined if there is an administrator. Of several starting processes, one does it.
 * @throws AdminDraftError when the name belongs to a bot or an organization, or the password breaks a rule
 */
export async function ensureAdministrator(deps: FirstAdminDeps): Promise<FirstAdmin | undefined> {
  const { pool, begin, passwords, input } = deps
  if (await administratorExists(pool)) return undefined
  if (input.password !== undefined) checkPassword(input.password, deps.passwordRules)
  await deps.beforeMaking()
  const password = input.password ?? newPassword(deps.passwordRules)
  const hash = await passwords.hash(password)
  if (hash === 'busy')
    throw new Error('Cannot hash the password of the first administrator: too many are waiting')
  return begin(async (tx) => {
    await lockAdministrators(tx)
    if (await administratorExists(tx)) return undefined
    const name = await makeAdministrator(tx, deps, hash)
    return { name, password: input.password === undefined ? password : undefined }
  })
}

/** @throws AdminDraftError naming the broken rule */
function checkPassword(password: string, rules: PasswordRules): void {
  const fault = passwordFault(password, rules)
  if (fault?.rule === 'length')
    throw new AdminDraftError(
      `ADMIN_PASSWORD must have at least ${fault.minLength} bytes (PASSWORD_MIN_LENGTH)`,
    )
  if (fault)
    throw new AdminDraftError(`ADMIN_PASSWORD must also have: ${fault.missing.join(', ')} (PASSWORD_CLASSES)`)
}

/** The configured address, or one on this server's host to which no mail is sent. @throws AdminDraftError */
export function addressFor(name: string, configured: string | undefined, root: string): EmailAddress {
  const { hostname } = new URL(root)
  for (const text of [configured, `${name}@noreply.${hostname}`, `${name}@noreply.localhost`]) {
    const parsed = text === undefined ? undefined : parseAddress(text)
    if (parsed?.ok) return parsed.value
    if (text !== undefined && text === configured)
      throw new AdminDraftError(`"${text}" is not an e-mail address`)
  }
  throw new AdminDraftError(`there is no e-mail address for "${name}"`)
}

async function makeAdministrator(tx: Tx, { input, root }: FirstAdminDeps, password: string): Promise<string> {
  const name = input.username ?? 'administrator'
  const existing = await accountByName(tx, name)
  if (existing && existing.kind !== 'person')
    throw new AdminDraftError(`"${name}" cannot become an administrator: it is not a person`)
  const draft = { name, is_admin: true, password, email: addressFor(name, input.email, root) }
  const admin = existing ?? (await insertPerson(tx, draft))
  if (existing) {
    await updateAccount(tx, existing.id, { is_admin: true, is_active: true, prohibit_login: false })
    await upsertPassword(tx, existing.id, password)
  }
  if (input.token !== undefined) {
    await insertToken(tx, admin.id, { name: 'first', scopes: EVERY_SCOPE, token: input.token })
  }
  await record(tx, 'command line', {
    action: 'user.made_first_administrator',
    target: accountTarget(admin),
  })
  return admin.name
}
