import { allRows } from '../../../db/rows.ts'
import type { Sql, Tx } from '../../../db/sql.ts'

/** A deleted pull request whose ref is still there, with the directory of its repository. */
interface RemovedPull {
  repository_id: number
  number: number
  folder_owner: string
  folder_name: string
}

/** Records that a pull request is deleted, so that its ref is removed later. */
export async function insertRemovedPull(
  tx: Tx,
  { repository, number }: { repository: number; number: number },
): Promise<void> {
  await tx`
    insert into forge.removed_pull (repository_id, number)
    values (${repository}, ${number})`
}

/** At most 100 deleted pull requests whose refs are still there. */
export const removedPulls = (sql: Sql) =>
  allRows(sql<RemovedPull[]>`
    select removed_pull.repository_id, removed_pull.number, repository.folder_owner, repository.folder_name
    from forge.removed_pull
    join forge.repository on repository.id = removed_pull.repository_id and repository.state = 'ready'
    order by removed_pull.repository_id, removed_pull.number
    limit 100`)

/** Records that the ref of a deleted pull request is gone. */
export async function deleteRemovedPull(
  sql: Sql,
  { repository_id, number }: Pick<RemovedPull, 'repository_id' | 'number'>,
): Promise<void> {
  await sql`
    delete from forge.removed_pull
    where repository_id = ${repository_id} and number = ${number}`
}
