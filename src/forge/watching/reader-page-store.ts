import type { Page, Paging } from '../../db/page.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import { pageOfAccountsIn } from '../accounts/account-page-store.ts'
import type { Account } from '../accounts/account-store.ts'
import { mayReadAny } from '../permissions/access-level-store.ts'

/**
 * A page of the accounts that may read a repository and have a row for it in a table of both ids. Of a repository that
 * everybody may read, the rows are counted without their accounts.
 */
export const pageOfReadersIn = (
  sql: Sql,
  table: Fragment,
  repository: number,
  paging: Paging,
): Promise<Page<Account>> =>
  pageOfAccountsIn(
    sql,
    sql`
      ${table}
      where repository_id = ${repository} and (
        (select not is_private and owner_visibility = 'public' from forge.repository where id = ${repository})
        or exists (
          select from forge.repository
          join forge.account on account.id = account_id
          where repository.id = ${repository} and ${mayReadAny(sql)}
        )
      )`,
    paging,
  )
