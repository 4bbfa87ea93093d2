import { randomBytes } from 'node:crypto'
import type { Begin, Pool, Tx } from '../../db/sql.ts'
import { OperatorError } from '../../errors.ts'
import { record } from '../admin/audit-trail.ts'
import type { Passwords } from '../auth/password.ts'
import { type PasswordRules, passwordFault } from '../auth/password-rules.ts'
import { upsertPassword } from '../auth/password-store.ts'
import { EVERY_SCOPE } from '../auth/scopes.ts'
import { insertToken } from '../auth/token-store.ts'
import { type EmailAddress, parseAddress } from '../users/email-address.ts'
import { accountByName, administratorExists, lockAdministrators, updateAccount } from './account.ts'
import { insertPerson } from './user-store.ts'

/** The administrator that the operator wishes for; what is not given is made up. */
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
  wish: AdminDraft
  /** What a password that is given must be. */
  passwordRules: PasswordRules
  /** Public root URL, for an address when none is given. */
  root: string
  /** Called before anything is made; where it fails, nothing is. */
  beforeMaking: () => Promise<unknown>
}

/** A wish that cannot be granted; the operator can change it. */
class AdminDraftError extends OperatorError {}

/** What became of it. `password` is there when it was made up, and nowhere else. */
interface FirstAdmin {
  name: string
  password: string | undefined
}

/**
 * Makes the first administrator when there is none: a new person, or the one who has the wished name already. Undefined
 * when somebody administers. Of several starting processes one does it.
 * @throws AdminDraftError when the name belongs to a bot or an organization, or the password breaks a rule
 */
export async function ensureAdministrator(parts: FirstAdminDeps): Promise<FirstAdmin | undefined> {
  const { pool, begin, passwords, wish } = parts
  if (await administratorExists(pool)) return undefined
  if (wish.password !== undefined) refuseWeak(wish.password, parts.passwordRules)
  await parts.beforeMaking()
  const password = wish.password ?? newPassword()
  const hash = await passwords.hash(password)
  if (hash === 'busy')
    throw new Error('Cannot hash the password of the first administrator: too many are waiting')
  return begin(async (tx) => {
    await lockAdministrators(tx)
    if (await administratorExists(tx)) return undefined
    const name = await makeAdministrator(tx, parts, hash)
    return { name, password: wish.password === undefined ? password : undefined }
  })
}

/** @throws AdminDraftError naming the rule that the password breaks */
function refuseWeak(password: string, rules: PasswordRules): void {
  const fault = passwordFault(password, rules)
  if (fault?.rule === 'length')
    throw new AdminDraftError(
      `ADMIN_PASSWORD must have at least ${fault.minLength} bytes (PASSWORD_MIN_LENGTH)`,
    )
  if (fault)
    throw new AdminDraftError(`ADMIN_PASSWORD must also have: ${fault.missing.join(', ')} (PASSWORD_CLASSES)`)
}

/** A password nobody guesses and anybody can type: 120 bits. */
export function newPassword(): string {
  return randomBytes(15).toString('base64url')
}

/** The wished address, or one on the forge's own host to which nothing is ever sent. @throws WishError */
export function addressFor(name: string, wished: string | undefined, root: string): EmailAddress {
  const { hostname } = new URL(root)
  for (const text of [wished, `${name}@noreply.${hostname}`, `${name}@noreply.localhost`]) {
    const parsed = text === undefined ? undefined : parseAddress(text)
    if (parsed?.ok) return parsed.value
    if (text !== undefined && text === wished) throw new AdminDraftError(`"${text}" is no e-mail address`)
  }
  throw new AdminDraftError(`there is no e-mail address for "${name}"`)
}

async function makeAdministrator(tx: Tx, { wish, root }: FirstAdminDeps, password: string): Promise<string> {
  const name = wish.username ?? 'administrator'
  const known = await accountByName(tx, name)
  if (known && known.kind !== 'person')
    throw new AdminDraftError(`"${name}" cannot be made administrator: it is no person`)
  const draft = { name, is_admin: true, password, email: addressFor(name, wish.email, root) }
  const admin = known ?? (await insertPerson(tx, draft))
  if (known) {
    await updateAccount(tx, known.id, { is_admin: true, is_active: true, prohibit_login: false })
    await upsertPassword(tx, known.id, password)
  }
  if (wish.token !== undefined) {
    await insertToken(tx, admin.id, { name: 'first', scopes: EVERY_SCOPE, token: wish.token })
  }
  await record(tx, 'command line', {
    action: 'user.made_first_administrator',
    target: { kind: 'user', id: admin.id, name: admin.name },
  })
  return admin.name
}
