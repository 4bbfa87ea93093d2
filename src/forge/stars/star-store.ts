import type { Paging } from '../../db/page.ts'
import { anyRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { pageOfReadersIn } from '../watching/reader-page-store.ts'

/** Makes an account star a repository; no change if it already does. A trigger counts the stars of both. */
export async function insertStar(tx: Tx, repository: number, account: number): Promise<void> {
  await tx`
    with ${lockedRepository(tx, repository)}
    insert into forge.repository_star (repository_id, account_id, created_at)
    select id, ${account}, ${tx.now}
    from locked
    on conflict on constraint repository_star_pkey do nothing`
}

/** Removes the star of an account from a repository; no change if there is none. */
export async function deleteStar(tx: Tx, repository: number, account: number): Promise<void> {
  await tx`
    with ${lockedRepository(tx, repository)}
    delete from forge.repository_star
    where repository_id in (select id from locked) and account_id = ${account}`
}

/** A repository that is not being removed, locked before its account, as the deletion of either locks them. */
const lockedRepository = (tx: Tx, id: number) => tx`
  locked as materialized (
    select id
    from forge.repository
    where id = ${id} and state <> 'removing'
    for no key update
  )`

/** Whether an account has starred a repository. */
export const isStarred = (sql: Sql, repository: number, account: number) =>
  anyRow(sql`
    select account_id
    from forge.repository_star
    where repository_id = ${repository} and account_id = ${account}`)

/** A page of the accounts that have starred a repository and may read it. */
export const pageOfStargazers = (sql: Sql, repository: number, paging: Paging) =>
  pageOfReadersIn(sql, sql`forge.repository_star`, repository, paging)
