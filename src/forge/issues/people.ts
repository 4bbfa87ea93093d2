import type { Sql } from '../../db/sql.ts'
import { accountsByIds } from '../accounts/account-store.ts'
import type { People } from './issue.shape.ts'

/** The accounts that issues and comments refer to. */
export async function peopleIn(
  sql: Sql,
  rows: readonly { poster_id: number | null; assignees?: readonly number[] }[],
): Promise<People> {
  const ids = rows.flatMap(({ poster_id, assignees = [] }) => [poster_id ?? [], assignees].flat())
  const accounts = await accountsByIds(sql, [...new Set(ids)])
  return new Map(accounts.map((account) => [account.id, account]))
}
