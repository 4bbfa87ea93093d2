import { type Paging, pageOf } from '../../db/page.ts'
import { firstRow } from '../../db/rows.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import { artifactColumns, type StoredArtifact } from './artifact-store.ts'

/** An artifact in a list, with the commit of its run. */
export interface ListedArtifact extends StoredArtifact {
  commit_sha: string
}

const listed = (sql: Sql, conditions: Fragment) => sql`
  from forge.action_artifact as artifact
  join forge.action_run as run on run.id = artifact.run_id
  where artifact.size is not null and ${conditions}`

/** A page of the complete artifacts of a repository, or of one of its runs, the newest first. */
export const pageOfArtifacts = (
  sql: Sql,
  paging: Paging,
  { repository, run, name }: { repository: number; run?: number; name: string },
) =>
  pageOf<ListedArtifact>(sql, paging, {
    from: listed(
      sql,
      sql`artifact.repository_id = ${repository} ${run === undefined ? sql`` : sql`and artifact.run_id = ${run}`}
        ${name === '' ? sql`` : sql`and artifact.name = ${name}`}`,
    ),
    columns: sql`${artifactColumns(sql)}, run.commit_sha`,
    by: sql`order by id desc`,
  })

export const artifactOfRepository = (sql: Sql, repository: number, id: number) =>
  firstRow(sql<ListedArtifact[]>`
    select ${artifactColumns(sql)}, run.commit_sha
    ${listed(sql, sql`artifact.repository_id = ${repository} and artifact.id = ${id}`)}`)
