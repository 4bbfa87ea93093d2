import { accountByName } from '../../forge/accounts/account-store.ts'
import { accountTarget, record } from '../../forge/audit/audit-trail.ts'
import { EVERY_SCOPE } from '../../forge/auth/scopes.ts'
import { newToken } from '../../forge/auth/token.ts'
import { deleteToken, insertToken } from '../../forge/auth/token-store.ts'
import { takenBy } from '../../forge/users/creation.ts'
import { addressFor } from '../../forge/users/first-admin.ts'
import { insertPerson } from '../../forge/users/user-store.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { type CommandContext, problemsAsUsageErrors, UsageError } from '../command.ts'

/** A user of the demonstration. Nobody can sign in as one: they have no password. */
export interface Person {
  id: number
  name: string
  full_name: string
  email: string
  /** Valid until `endTokens`. */
  token: string
}

const tokenName = 'seed'

/** @throws UsageError when an account has one of the names */
export async function requireFree({ pool }: CommandContext, names: readonly string[]): Promise<void> {
  for (const name of names)
    if (await accountByName(pool, name))
      throw new UsageError(`there is an account named "${name}" already; nothing was added`)
}

/** Creates all of them or none, each with a token for the rest of the work. @throws UsageError when a name is taken */
export async function addPeople(
  { begin, config }: CommandContext,
  drafts: readonly { name: string; full_name: string }[],
): Promise<Person[]> {
  const creation = begin(async (tx) => {
    const people: Person[] = []
    for (const { name, full_name } of drafts) {
      const email = addressFor(name, undefined, config.root)
      const user = await insertPerson(tx, { name, full_name, email })
      await record(tx, 'command line', { action: 'user.created', target: accountTarget(user) })
      const token = newToken()
      const { scopes } = await insertToken(tx, user.id, { name: tokenName, scopes: EVERY_SCOPE, token })
      const details = { token: tokenName, scopes }
      await record(tx, 'command line', { action: 'token.created', target: accountTarget(user), details })
      people.push({ id: user.id, name, full_name, email: email.address, token })
    }
    return people
  })
  const names = drafts.map(({ name }) => name).join(', ')
  return problemsAsUsageErrors(mapConstraints(creation, takenBy(names, 'of the demonstration')))
}

/** Deletes the tokens, and wakes the workers of the server that may run here. */
export async function endTokens({ begin }: CommandContext, people: readonly Person[]): Promise<void> {
  await begin(async (tx) => {
    for (const { id, name } of people) {
      await deleteToken(tx, id, { name: tokenName })
      const target = { kind: 'user', id, name }
      await record(tx, 'command line', { action: 'token.deleted', target, details: { token: tokenName } })
    }
    await tx.wake()
  })
}
