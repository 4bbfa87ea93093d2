import { allRows } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'
import { type Account, accountColumns } from './account-store.ts'

/**
 * The accounts to which commits with these e-mail addresses belong: those that have activated the address. The keys of
 * the map are the addresses in lower case.
 */
export async function accountsByEmail(
  sql: Sql,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, Account>> {
  const keys = [...new Set(addresses.map(emailKey))].filter((key) => key !== '')
  if (keys.length === 0) return new Map()
  const rows = await allRows(sql<(Account & { email_key: string })[]>`
    select email_address.key as email_key, ${accountColumns(sql)}
    from forge.email_address
    join forge.account as account on account.id = email_address.account_id
    where email_address.key = any(${keys}::text[]) and email_address.is_activated`)
  return new Map(rows.map((row) => [row.email_key, row]))
}

/** An address as `accountsByEmail` has it. */
export const emailKey = (address: string): string => address.toLowerCase()
