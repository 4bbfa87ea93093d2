import {
  type Account,
  accountByName,
  lockAdministrators,
  updateAccount,
} from '../forge/accounts/account-store.ts'
import { administrators } from '../forge/accounts/administrator-store.ts'
import { type EmailAddress, parseAddress } from '../forge/accounts/email-address.ts'
import { NAME_MAX, nameFault, nameTaken } from '../forge/accounts/names.ts'
import { systemFault } from '../forge/accounts/system-account.ts'
import { accountTarget, record } from '../forge/audit/audit-trail.ts'
import { encodeBase32 } from '../forge/auth/base32.ts'
import { createPasswords, PASSWORD_DEFAULTS } from '../forge/auth/password.ts'
import {
  newPassword,
  PASSWORD_MAX,
  type PasswordRules,
  passwordFault,
  passwordMessageOnEdit,
} from '../forge/auth/password-rules.ts'
import { upsertPassword } from '../forge/auth/password-store.ts'
import { isEmpty, NO_SCOPES, parseScopes } from '../forge/auth/scopes.ts'
import { newToken } from '../forge/auth/token.ts'
import { insertToken } from '../forge/auth/token-store.ts'
import { newTotpSecret, otpauthUrl } from '../forge/auth/totp.ts'
import { deleteTotp, upsertTotp } from '../forge/auth/totp-store.ts'
import { maxSize } from '../forge/protocol/rules.ts'
import { takenBy } from '../forge/users/creation.ts'
import { addressFor } from '../forge/users/first-admin.ts'
import { insertPerson } from '../forge/users/user-store.ts'
import { mapConstraints } from '../http/database-errors.ts'
import { findAccount, oneArgument } from './arguments.ts'
import { type Command, type CommandContext, problemsAsUsageErrors, UsageError } from './command.ts'

const create: Command = {
  name: 'admin create',
  usage: '<name> [--email a@b.c] [--password …]',
  summary:
    'create an administrator, or make a user one; without --password, generate and print one for a new account',
  options: { email: { type: 'string' }, password: { type: 'string' } },
  async run(context) {
    const { begin, options, print } = context
    const name = oneArgument(context)
    const fault = nameFault(name)
    if (fault !== undefined) throw new UsageError(fault)
    const existing = await accountByName(context.pool, name)
    const email = existing ? undefined : addressOf(name, options.email)
    if (existing && options.email !== undefined) throw new UsageError(nameTaken(name))
    const password = existing && options.password === undefined ? undefined : await choosePassword(context)
    const creation = begin(async (tx) => {
      await lockAdministrators(tx)
      const account = existing
        ? await updateAccount(tx, personOnly(existing).id, { is_admin: true })
        : email && (await insertPerson(tx, { name, email, is_admin: true }))
      if (!account) throw new UsageError(`"${name}" does not exist any more`)
      if (password) await upsertPassword(tx, account.id, password.record)
      const action = existing ? 'user.edited' : 'user.created'
      await record(tx, 'command line', {
        action,
        target: accountTarget(account),
        details: { is_admin: true },
      })
      return account
    })
    const admin = await problemsAsUsageErrors(mapConstraints(creation, takenBy(name, email?.address ?? '')))
    print(`${admin.name} is an administrator`)
    if (password?.isGenerated) print(`password: ${password.clear}`)
  },
}

const password: Command = {
  name: 'admin password',
  usage: '<name> [--password …]',
  summary: 'set a new password for a user; without --password, generate and print one',
  options: { password: { type: 'string' } },
  async run(context) {
    const { begin, print } = context
    const account = personOnly(await findAccount(context, oneArgument(context)))
    const chosen = await choosePassword(context)
    await begin(async (tx) => {
      await upsertPassword(tx, account.id, chosen.record)
      await updateAccount(tx, account.id, { must_change_password: false })
      await record(tx, 'command line', { action: 'user.password_changed', target: accountTarget(account) })
    })
    print(`${account.name} has a new password`)
    if (chosen.isGenerated) print(`password: ${chosen.clear}`)
  },
}

const token: Command = {
  name: 'admin token',
  usage: '<name> [--name cli] [--scopes all]',
  summary: 'create an access token for a user or bot and print it; separate scopes with commas',
  options: { name: { type: 'string', default: 'cli' }, scopes: { type: 'string', default: 'all' } },
  async run(context) {
    const { begin, options, print } = context
    const account = await findAccount(context, oneArgument(context))
    if (account.kind === 'organization') throw new UsageError(`${account.name} is an organization`)
    const fault = systemFault(account)
    if (fault !== undefined) throw new UsageError(fault)
    const name = String(options.name)
    if (name === '') throw new UsageError('access token must have a name')
    const scopes = parseScopes([String(options.scopes)])
    if (!scopes.ok) throw new UsageError(scopes.fault)
    if (isEmpty(scopes.value)) throw new UsageError(NO_SCOPES)
    const made = { name, scopes: scopes.value, token: newToken() }
    const creation = begin(async (tx) => {
      const stored = await insertToken(tx, account.id, made)
      const details = { token: stored.name, scopes: stored.scopes }
      await record(tx, 'command line', { action: 'token.created', target: accountTarget(account), details })
    })
    const taken = `"${account.name}" has a token "${name}" already; choose another name with --name`
    await problemsAsUsageErrors(mapConstraints(creation, { access_token_name_unique: [409, taken] }))
    print(made.token)
  },
}

const list: Command = {
  name: 'admin list',
  usage: '',
  summary: 'list all administrators',
  async run({ pool, print }) {
    for (const { id, name, email, is_active, prohibit_login } of await administrators(pool)) {
      const state = is_active && !prohibit_login ? '' : '  (cannot sign in)'
      print(`${id}  ${name}  ${email}${state}`)
    }
  },
}

const totp: Command = {
  name: 'admin totp',
  usage: '<name> [--remove]',
  summary: 'enrol a user for one-time codes and print the address for an authenticator app; --remove ends it',
  options: { remove: { type: 'boolean', default: false } },
  async run(context) {
    const { begin, options, print } = context
    const account = personOnly(await findAccount(context, oneArgument(context)))
    const secret = newTotpSecret()
    const secrets = await context.secrets()
    await begin(async (tx) => {
      if (options.remove) await deleteTotp(tx, account.id)
      else await upsertTotp(tx, secrets, account.id, secret)
      const action = options.remove ? 'user.totp_removed' : 'user.totp_enrolled'
      await record(tx, 'command line', { action, target: accountTarget(account) })
    })
    if (options.remove) return print(`${account.name} needs no one-time codes`)
    print(otpauthUrl('Forgehall', account.name, secret))
    print(`secret: ${encodeBase32(secret)}`)
  },
}

export const adminCommands = [create, password, token, list, totp]

const textOf = (option: string | boolean | undefined) => (typeof option === 'string' ? option : undefined)

function personOnly(account: Account): Account {
  if (account.kind === 'person') return account
  throw new UsageError(`${account.name} is not a person`)
}

/** The e-mail address of a new administrator. @throws UsageError when it or the name is invalid */
function addressOf(name: string, option: string | boolean | undefined): EmailAddress {
  if (name.length > NAME_MAX) throw new UsageError(`a name has at most ${NAME_MAX} characters`)
  const requested = textOf(option)
  if (requested !== undefined && !parseAddress(requested).ok)
    throw new UsageError(`"${requested}" is not an e-mail address`)
  return addressFor(name, requested, 'http://localhost/')
}

/** The password of the option or a generated one, with its hash. */
async function choosePassword({ options, passwordRules }: Pick<CommandContext, 'options' | 'passwordRules'>) {
  const option = textOf(options.password)
  if (option !== undefined) requireStrong(option, passwordRules)
  const clear = option ?? newPassword(passwordRules)
  const record = await createPasswords(PASSWORD_DEFAULTS).hash(clear)
  if (record === 'busy') throw new Error('the password could not be hashed')
  return { clear, record, isGenerated: option === undefined }
}

/** @throws UsageError */
function requireStrong(password: string, rules: PasswordRules): void {
  if (!maxSize(PASSWORD_MAX).holds(password))
    throw new UsageError(`password must have at most ${PASSWORD_MAX} characters`)
  const fault = passwordFault(password, rules)
  if (fault) throw new UsageError(passwordMessageOnEdit(fault))
}
