import { type Paging, pageOf } from '../../db/page.ts'
import { firstRow, onlyRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'

/** A deploy key as it is stored. */
export interface StoredDeployKey {
  id: number
  repository_id: number
  /** Equal for the same key in several repositories. */
  key_id: number
  title: string
  content: string
  fingerprint: string
  is_read_only: boolean
  created_at: string
  /** Equal to `created_at` until it is used. */
  last_used_at: string
}

const deployKeyColumns = (sql: Sql) => sql`
  id, repository_id, key_id, title, content, fingerprint, is_read_only, created_at, coalesce(last_used_at, created_at) as last_used_at`

/** A page of the deploy keys of a repository, oldest first; 0 and an empty fingerprint filter nothing. */
export const pageOfDeployKeys = (
  sql: Sql,
  repository: number,
  { key_id, fingerprint }: { key_id: number; fingerprint: string },
  paging: Paging,
) =>
  pageOf<StoredDeployKey>(sql, paging, {
    from: sql`
      from forge.deploy_key
      where repository_id = ${repository}
        ${key_id === 0 ? sql`` : sql`and key_id = ${key_id}`}
        ${fingerprint === '' ? sql`` : sql`and fingerprint = ${fingerprint}`}`,
    columns: deployKeyColumns(sql),
    by: sql`order by id`,
  })

/** A deploy key, of any repository. */
export const deployKeyById = (sql: Sql, id: number) =>
  firstRow(sql<StoredDeployKey[]>`
    select ${deployKeyColumns(sql)}
    from forge.deploy_key
    where id = ${id}`)

/**
 * Adds a deploy key. The key of a user violates `deploy_key_of_no_user`, a key that the repository has
 * `deploy_key_fingerprint_unique`, and then a title that one of its keys has `deploy_key_title_unique`.
 */
export const insertDeployKey = (
  tx: Tx,
  repository: number,
  draft: Pick<StoredDeployKey, 'title' | 'content' | 'fingerprint' | 'is_read_only'>,
) =>
  onlyRow(tx<[StoredDeployKey]>`
    insert into forge.deploy_key (repository_id, title, content, fingerprint, is_read_only, created_at)
    values (${repository}, ${draft.title}, ${draft.content}, ${draft.fingerprint}, ${draft.is_read_only}, ${tx.now})
    returning ${deployKeyColumns(tx)}`)

/** Records that a deploy key was used. */
export async function touchDeployKey(sql: Sql, id: number, now: Date): Promise<void> {
  await sql`
    update forge.deploy_key
    set last_used_at = ${now}
    where id = ${id}`
}

/** Deletes a deploy key of a repository; undefined: there is none. */
export const deleteDeployKey = (tx: Tx, repository: number, id: number) =>
  firstRow(tx<StoredDeployKey[]>`
    delete from forge.deploy_key
    where id = ${id} and repository_id = ${repository}
    returning ${deployKeyColumns(tx)}`)
