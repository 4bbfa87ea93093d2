import { allRows, onlyRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { type Account, type AccountDraft, insertAccount, updateAccount } from '../accounts/account-store.ts'
import type { EmailAddress } from '../accounts/email-address.ts'
import { upsertPassword } from '../auth/password-store.ts'
import { deletePrimaryAddress, insertAddress } from './email-store.ts'

/** The initial values of a person. Hash the password before the transaction begins, because that is slow. */
export interface PersonDraft extends Omit<AccountDraft, 'kind' | 'email'> {
  email: EmailAddress
  /** The password record; absent: the person has no password. */
  password?: string | undefined
}

/**
 * Creates a person with an activated primary address and optionally a password. Conflicts violate
 * `account_name_unique`, first, or `email_address_unique`.
 */
export async function insertPerson(tx: Tx, { email, password, ...draft }: PersonDraft): Promise<Account> {
  const account = await insertAccount(tx, { ...draft, kind: 'person', email: email.address })
  await insertAddress(tx, account, email, { is_primary: true, is_activated: true })
  if (password !== undefined) await upsertPassword(tx, account.id, password)
  return account
}

/**
 * Replaces the primary address: deletes the old one and adds the new one, activated. An address that any account has,
 * this one included, violates `email_address_unique`, except another spelling of the primary one.
 */
export async function setPrimaryAddress(tx: Tx, account: Account, email: EmailAddress): Promise<void> {
  await deletePrimaryAddress(tx, account.id)
  await insertAddress(tx, account, email, { is_primary: true, is_activated: true })
  await updateAccount(tx, account.id, { email: email.address })
}

/** The names of the public accounts among these (in lower case). */
export async function publicNames(sql: Sql, keys: readonly string[]): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name
    from forge.account
    where key = any(${[...keys]}::text[]) and visibility = 'public'`
  return rows.map(({ name }) => name)
}

/** How many people have an account. */
export async function countPeople(sql: Sql): Promise<number> {
  const { people } = await onlyRow(sql<[{ people: number }]>`
    select count(*) as people
    from forge.account
    where kind = 'person'`)
  return people
}

/** People who are inactive, and have not changed since a moment; administrators excepted. */
export const inactiveSince = (sql: Sql, moment: Date) =>
  allRows(sql<{ id: number }[]>`
    select id
    from forge.account
    where kind = 'person' and not is_active and not is_admin and updated_at < ${moment}
    order by id`)
