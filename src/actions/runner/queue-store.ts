import { allRows } from '../../db/rows.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import type { Scope } from '../secrets/scope-store.ts'

/** Queries on jobs that wait for a runner, grouped by their list of labels (`forge.labels_key`): there are few lists. */

/** The jobs that a runner accepts. */
export interface Offer {
  scope: Scope
  /** Labels of the runner; each label of a job must be exactly one of them. */
  labels: readonly string[]
}

/** SQL condition on `job` joined with `repository` (under these aliases). */
export function claimableBy(sql: Sql, { scope, labels }: Offer): Fragment {
  const { owner_id, repository_id } = scope
  return sql`
    job.runs_on <@ ${labels}::text[] and job.payload is not null
    ${repository_id === null ? sql`` : sql`and job.repository_id = ${repository_id}`}
    ${owner_id === null ? sql`` : sql`and repository.owner_id = ${owner_id}`}
    and repository.state = 'ready'
    and coalesce((repository.settings ->> 'has_actions')::boolean, not repository.is_template)`
}

/**
 * The lists of labels (`forge.labels_key`) of jobs that wait for such a runner, ordered by their oldest job. Includes jobs
 * that another runner is claiming at this moment.
 */
export async function waitingLabelKeys(sql: Sql, offer: Offer): Promise<string[]> {
  const { owner_id, repository_id } = offer.scope
  const ofSite = owner_id === null && repository_id === null
  const rows = await (ofSite ? siteLabelKeys(sql, offer) : scopedLabelKeys(sql, offer))
  return [...new Set(rows.map(({ key }) => key))]
}

/** For runners of the site: skips from one list of labels to the next and reads the oldest matching job of each. */
const siteLabelKeys = (sql: Sql, offer: Offer) =>
  allRows(sql<{ key: string }[]>`
    with recursive list (key, labels) as (
      (
        select forge.labels_key(runs_on), runs_on
        from forge.action_job
        where status = 'queued'
        order by forge.labels_key(runs_on)
        limit 1
      )
      union all
      select next.key, next.labels
      from list
      cross join lateral (
        select forge.labels_key(runs_on) as key, runs_on as labels
        from forge.action_job
        where status = 'queued' and forge.labels_key(runs_on) > list.key
        order by forge.labels_key(runs_on)
        limit 1
      ) as next
    )
    select list.key
    from list
    cross join lateral (
      select job.updated_at, job.id
      from forge.action_job as job
      join forge.repository on repository.id = job.repository_id
      where job.status = 'queued' and forge.labels_key(job.runs_on) = list.key and ${claimableBy(sql, offer)}
      order by job.updated_at, job.id
      limit 1
    ) as oldest
    where list.labels <@ ${offer.labels}::text[]
    order by oldest.updated_at, oldest.id`)

/** For runners of one owner or one repository: reads the oldest matching job of each repository. */
function scopedLabelKeys(sql: Sql, offer: Offer) {
  const { owner_id, repository_id } = offer.scope
  return allRows(sql<{ key: string }[]>`
    select forge.labels_key(oldest.runs_on) as key
    from forge.repository
    cross join lateral (
      select job.runs_on, job.updated_at, job.id
      from forge.action_job as job
      where job.status = 'queued' and job.repository_id = repository.id and ${claimableBy(sql, offer)}
      order by job.updated_at, job.id
      limit 1
    ) as oldest
    where ${owner_id === null ? sql`repository.id = ${repository_id}` : sql`repository.owner_id = ${owner_id}`}
    order by oldest.updated_at, oldest.id`)
}
