import type { Tx } from '../../db/sql.ts'
import { upsertPassword } from '../auth/password-store.ts'
import type { EmailAddress } from '../users/email-address.ts'
import { deletePrimaryAddress, insertAddress } from '../users/email-store.ts'
import { type Account, type AccountDraft, insertAccount, updateAccount } from './account.ts'

/** What a person is created with. The password was hashed before the transaction began: that takes its time. */
export interface PersonDraft extends Omit<AccountDraft, 'kind' | 'email'> {
  email: EmailAddress
  /** The record to check the password against; absent: the person has none. */
  password?: string | undefined
}

/**
 * Creates a person with an activated primary address and perhaps a password. Conflicts are told by the constraints
 * `account_name_unique`, first, and `email_address_unique`.
 */
export async function insertPerson(tx: Tx, { email, password, ...draft }: PersonDraft): Promise<Account> {
  const account = await insertAccount(tx, { ...draft, kind: 'person', email: email.address })
  await insertAddress(tx, account, email, { is_primary: true, is_activated: true })
  if (password !== undefined) await upsertPassword(tx, account.id, password)
  return account
}

/**
 * Replaces the primary address: the old one is given up, the new one is activated. An address that anybody has,
 * the account itself included, is refused by `email_address_unique`; only another spelling of the primary one is not.
 */
export async function setPrimaryAddress(tx: Tx, account: Account, email: EmailAddress): Promise<void> {
  await deletePrimaryAddress(tx, account.id)
  await insertAddress(tx, account, email, { is_primary: true, is_activated: true })
  await updateAccount(tx, account.id, { email: email.address })
}
