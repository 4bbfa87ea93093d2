import { type Page, type PagedList, type Paging, pageOf } from '../../db/page.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import { type Account, accountColumns } from './account-store.ts'

/** A page of accounts: `keys` selects their ids. */
export const pageOfAccounts = (sql: Sql, paging: Paging, query: PagedList & { keys: Fragment }) =>
  pageOf<Account>(sql, paging, { ...query, rows: accountsOfPage(sql) })

/** A page of the accounts in the column `account_id` of a table and condition, by id. */
export function pageOfAccountsIn(sql: Sql, table: Fragment, paging: Paging): Promise<Page<Account>> {
  const keys = sql`account_id as id`
  return pageOfAccounts(sql, paging, { from: sql`from ${table}`, keys, by: sql`order by id` })
}

/** The accounts whose ids are in `page`. */
export const accountsOfPage = (sql: Sql) => sql`
  select ${accountColumns(sql)}, account.key
  from page
  join forge.account as account using (id)`
