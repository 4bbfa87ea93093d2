import { beginOn } from '../../../src/db/begin.ts'
import { createSecrets } from '../../../src/db/encryption/secrets.ts'
import type { Tx } from '../../../src/db/sql.ts'
import { type AccountDraft, updateAccount } from '../../../src/forge/accounts/account-store.ts'
import { parseAddress } from '../../../src/forge/accounts/email-address.ts'
import { createPasswords } from '../../../src/forge/auth/password.ts'
import { parseScopes } from '../../../src/forge/auth/scopes.ts'
import { newToken } from '../../../src/forge/auth/token.ts'
import { insertToken } from '../../../src/forge/auth/token-store.ts'
import { insertTeamMember } from '../../../src/forge/orgs/membership-store.ts'
import { insertFirstOwners, insertOrganizations } from '../../../src/forge/orgs/org-store.ts'
import { insertTeam, type Team, type TeamDraft } from '../../../src/forge/orgs/team-store.ts'
import { finishRepository, insertRepository, type Repository } from '../../../src/forge/repos/repo-store.ts'
import { insertPerson } from '../../../src/forge/users/user-store.ts'
import { insertWatch } from '../../../src/forge/watching/watch-store.ts'
import type { TestApp } from '../app.ts'

/** Hashing that costs next to nothing. */
export const cheapPasswords = createPasswords({ cost: { ln: 1, r: 1, p: 1 }, concurrency: 4, queue: 10_000 })

/** What test databases keep secrets under. */
export const testSecrets = createSecrets(['a key of the tests, long enough for one'])

/** The password of everybody that is made here. */
export const samePassword = 'a password for tests'

/** Who calls: somebody that was made, or credentials by hand. */
export type As = { authorization: string }

/** Somebody who can call: `call('GET /api/v1/user', { as: ada })` sends the token. */
export interface Somebody {
  id: number
  name: string
  email: string
  /** In the clear, with every scope. */
  token: string
  /** What `as` sends. */
  authorization: string
}

/** Makes accounts straight in the database; names are made up where none is given. */
export function makersFor({ pool, clock }: Pick<TestApp, 'pool' | 'clock'>) {
  const begin = beginOn(pool, clock.now)
  let record: ReturnType<typeof cheapPasswords.hash> | undefined
  let made = 0

  async function token(account: Pick<Somebody, 'id'>, ...scopes: readonly string[]): Promise<string> {
    return begin((tx) => addToken(tx, account.id, scopes.length > 0 ? scopes : ['all'], `token ${++made}`))
  }

  async function person(draft: Partial<Omit<AccountDraft, 'kind'>> = {}): Promise<Somebody> {
    const name = draft.name ?? `person${++made}`
    const email = draft.email ?? `${name}@example.com`
    record ??= cheapPasswords.hash(samePassword)
    const password = await record
    return begin(async (tx) => {
      const parsed = parseAddress(email)
      if (!parsed.ok) throw new Error(`${email} is no address`)
      const { id } = await insertPerson(tx, { ...draft, name, email: parsed.value, password })
      const clear = await addToken(tx, id, ['all'], 'first')
      return { id, name, email, token: clear, authorization: `token ${clear}` }
    })
  }

  /** People with these names, made in this order. */
  async function people<const Names extends readonly string[]>(...names: Names) {
    const made: Somebody[] = []
    for (const name of names) made.push(await person({ name }))
    return made as { [Name in keyof Names]: Somebody }
  }

  const admin = (draft: Partial<Omit<AccountDraft, 'kind'>> = {}) => person({ ...draft, is_admin: true })

  /** A bot; it was a person first, as all bots are. */
  async function bot(draft: Partial<Omit<AccountDraft, 'kind'>> = {}): Promise<Somebody> {
    const made = await person(draft)
    await begin((tx) => updateAccount(tx, made.id, { kind: 'bot' }))
    return made
  }

  /** An organization with this owner. */
  async function organization(owner: Pick<Somebody, 'id'>, draft: Partial<Omit<AccountDraft, 'kind'>> = {}) {
    const name = draft.name ?? `org${++made}`
    return begin(async (tx) => {
      const [account] = await insertOrganizations(tx, [{ ...draft, name }])
      if (!account) throw new Error(`The name ${name} is taken`)
      await insertFirstOwners(tx, [{ organization: account.id, account: owner.id }])
      return account
    })
  }

  /** A team of an organization with these members. */
  async function team(
    organization: { id: number },
    members: readonly Pick<Somebody, 'id'>[],
    { name = `team${++made}`, permission = 'read', ...more }: Partial<TeamDraft> = {},
  ): Promise<Team> {
    return begin(async (tx) => {
      const made = await insertTeam(tx, organization.id, { units: {}, ...more, name, permission })
      for (const { id } of members) await insertTeamMember(tx, made, id)
      return made
    })
  }

  /** A repository without a directory, watched by who made it. */
  async function repository(
    owner: { id: number; name: string },
    draft: { name?: string; is_private?: boolean; by?: Pick<Somebody, 'id'> } = {},
  ): Promise<Repository> {
    const name = draft.name ?? `repo${++made}`
    return begin(async (tx) => {
      const { id } = await insertRepository(tx, {
        owner_id: owner.id,
        name,
        folder: { owner: owner.name.toLowerCase(), name: name.toLowerCase() },
        description: '',
        is_private: draft.is_private ?? false,
        is_template: false,
        is_empty: true,
        default_branch: 'main',
        object_format: 'sha1',
        branch_count: 0,
        licenses: [],
        topics: [],
      })
      await insertWatch(tx, id, draft.by?.id ?? owner.id)
      const row = await finishRepository(tx, id, 0)
      if (!row) throw new Error(`${name} was not made`)
      return row
    })
  }

  return { person, people, admin, bot, organization, team, repository, token, begin }
}

async function addToken(tx: Tx, account: number, scopes: readonly string[], name: string): Promise<string> {
  const parsed = parseScopes(scopes)
  if (!parsed.ok) throw new Error(parsed.fault)
  const token = newToken()
  await insertToken(tx, account, { name, scopes: parsed.value, token })
  return token
}

/** `as: basic('ada', 'secret')` */
export function basic(user: string, password: string = samePassword): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
}

/** `as: bearer(token)` */
export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` }
}
