import { allRows, anyRow } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'
import { type Account, accountColumns } from './account-store.ts'

/**
 * Whether an account can act as an administrator. One that may not sign in cannot, nor one that must change its
 * password first: nobody knows yet whether its owner has the one that it has.
 */
function administers(
  account: Pick<Account, 'kind' | 'is_admin' | 'is_active' | 'prohibit_login' | 'must_change_password'>,
): boolean {
  const isBarred = !account.is_active || account.prohibit_login || account.must_change_password
  return account.is_admin && account.kind === 'person' && !isBarred
}

/** Whether another account can act as an administrator. */
export const otherAdministers = (sql: Sql, id: number) =>
  anyRow(sql`
    select id
    from forge.account
    where is_admin and kind = 'person' and is_active and not prohibit_login and not must_change_password
      and id <> ${id}
    limit 1`)

/**
 * Whether no account could act as an administrator after a change of one: `after` is the account then; undefined: it is
 * deleted. Call it under `lockAdministrators`.
 */
export const isLastAdministrator = async (sql: Sql, account: Account, after?: Account) =>
  administers(account) && !(after && administers(after)) && !(await otherAdministers(sql, account.id))

/** All administrators by name; there are few. */
export const administrators = (sql: Sql) =>
  allRows(sql<Account[]>`
    select ${accountColumns(sql)}
    from forge.account as account
    where is_admin
    order by key`)
