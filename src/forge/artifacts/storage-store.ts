import { type Paging, pageOf } from '../../db/page.ts'
import { onlyRow } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'

/** Bytes that runs keep: artifacts, unfinished ones included, and logs as they were written. */
interface KeptBytes {
  artifact_bytes: number
  log_bytes: number
}

/** A repository with what its runs keep. */
interface RepositoryStorage extends KeptBytes {
  id: number
  owner_name: string
  name: string
}

/** What runs keep, by repository: `kept`. */
const keptBy = (sql: Sql) => sql`
  kept as materialized (
    select repository_id as id, sum(artifact_bytes)::bigint as artifact_bytes, sum(log_bytes)::bigint as log_bytes
    from (
      select repository_id, received as artifact_bytes, 0 as log_bytes
      from forge.action_artifact
      union all
      select job.repository_id, 0, task.log_bytes
      from forge.action_task as task
      join forge.action_job as job on job.id = task.job_id
      where not task.log_expired
    ) as each
    group by repository_id
    having sum(artifact_bytes + log_bytes) > 0
  )`

/** A page of the repositories whose runs keep something, those that keep the most first. */
export const pageOfStorage = (sql: Sql, paging: Paging) =>
  pageOf<RepositoryStorage>(sql, paging, {
    with: keptBy(sql),
    from: sql`
      from kept
      join forge.repository using (id)
      join forge.account as owner on owner.id = repository.owner_id`,
    columns: sql`repository.id, owner.name as owner_name, repository.name, artifact_bytes, log_bytes`,
    by: sql`order by artifact_bytes + log_bytes desc, id`,
  })

/** What all runs keep. */
export const allStorage = (sql: Sql) =>
  onlyRow(sql<[KeptBytes]>`
    with ${keptBy(sql)}
    select coalesce(sum(artifact_bytes), 0)::bigint as artifact_bytes, coalesce(sum(log_bytes), 0)::bigint as log_bytes
    from kept`)
