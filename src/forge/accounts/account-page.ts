import type { Fragment, Sql } from '../../db/sql.ts'
import type { Page, Paging } from '../../http/route/page.ts'
import { type Account, accountColumns } from './account.ts'

/** The parts of a page of accounts: `page` selects the ids, `total` is a number, `by` orders by columns of accounts. */
interface PageQueryParts {
  page: Fragment
  total: Fragment
  by: Fragment
}

/** A row of a page with the total; if the page is empty, a single row without an account holds it. */
export type AccountRow = { total: number } & (Account | { id: null })

/** A page of accounts and the total of their list in one statement, which reads the rows of the page only. */
export async function pageOfAccounts(
  sql: Sql,
  { page, total, by }: PageQueryParts,
  paging: Paging,
): Promise<Page<Account>> {
  const rows = await sql<AccountRow[]>`
    select ${total} as total, account.*
    from (select) as always
    left join (
      select ${accountColumns(sql)}, account.key
      from (${page}) as page
      join forge.account as account using (id)
    ) as account on true
    ${by}`
  return accountsFrom(rows, paging)
}

export function accountsFrom(rows: readonly AccountRow[], paging: Paging): Page<Account> {
  return { rows: rows.filter((row) => row.id !== null), total: rows[0]?.total ?? 0, ...paging }
}
