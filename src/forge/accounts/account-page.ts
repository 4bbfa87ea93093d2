import { type Page, type PageQuery, type Paging, pageOf } from '../../db/page.ts'
import type { Sql } from '../../db/sql.ts'
import { type Account, accountColumns } from './account.ts'

/** A page of accounts: `keys` selects their ids. */
export function pageOfAccounts(
  sql: Sql,
  paging: Paging,
  query: Omit<PageQuery, 'rows'>,
): Promise<Page<Account>> {
  return pageOf<Account>(sql, paging, { ...query, rows: accountsOfPage(sql) })
}

/** The accounts whose ids are in `page`. */
export const accountsOfPage = (sql: Sql) => sql`
  select ${accountColumns(sql)}, account.key
  from page
  join forge.account as account using (id)`
