import type { Fragment, Sql } from '../../db/sql.ts'
import type { Scope } from '../run/scope.ts'

/** Jobs that wait for a runner. They stand in as many rows as there are lists of labels, which are few. */

/** What a runner can take. */
export interface Offer {
  scope: Scope
  /** Of the runner; each label of a job must be one of them, to the letter. */
  labels: readonly string[]
}

/** The condition on a `job` of a `repository`, both in those names. */
export function takeable(sql: Sql, { scope, labels }: Offer): Fragment {
  const { owner_id, repository_id } = scope
  return sql`
    job.runs_on <@ ${labels}::text[] and job.payload is not null
    ${repository_id === null ? sql`` : sql`and job.repository_id = ${repository_id}`}
    ${owner_id === null ? sql`` : sql`and repository.owner_id = ${owner_id}`}
    and repository.state = 'ready'
    and coalesce((repository.settings ->> 'has_actions')::boolean, not repository.is_template)`
}

/**
 * The kinds of jobs (`forge.labels_key`) that wait for such a runner, that of the oldest job first; also where somebody
 * else is taking that job at this moment.
 */
export async function waitingKinds(sql: Sql, offer: Offer): Promise<string[]> {
  const { owner_id, repository_id } = offer.scope
  const rows =
    owner_id === null && repository_id === null ? await kindsOfAll(sql, offer) : await kindsOfSome(sql, offer)
  return [...new Set(rows.map(({ kind }) => kind))]
}

type Kinds = { kind: string }[]

/** Leaps from one list of labels to the next, and looks at the oldest job of each that suits. */
async function kindsOfAll(sql: Sql, offer: Offer): Promise<Kinds> {
  return await sql<Kinds>`
    with recursive kind (key, labels) as (
      (
        select forge.labels_key(runs_on), runs_on
        from forge.action_job
        where status = 'waiting'
        order by forge.labels_key(runs_on)
        limit 1
      )
      union all
      select next.key, next.labels
      from kind
      cross join lateral (
        select forge.labels_key(runs_on) as key, runs_on as labels
        from forge.action_job
        where status = 'waiting' and forge.labels_key(runs_on) > kind.key
        order by forge.labels_key(runs_on)
        limit 1
      ) as next
    )
    select kind.key as kind
    from kind
    cross join lateral (
      select job.updated_at, job.id
      from forge.action_job as job
      join forge.repository on repository.id = job.repository_id
      where job.status = 'waiting' and forge.labels_key(job.runs_on) = kind.key and ${takeable(sql, offer)}
      order by job.updated_at, job.id
      limit 1
    ) as oldest
    where kind.labels <@ ${offer.labels}::text[]
    order by oldest.updated_at, oldest.id`
}

/** Looks at the oldest job that suits in each repository of one owner, or in one. */
async function kindsOfSome(sql: Sql, offer: Offer): Promise<Kinds> {
  const { owner_id, repository_id } = offer.scope
  return await sql<Kinds>`
    select forge.labels_key(oldest.runs_on) as kind
    from forge.repository
    cross join lateral (
      select job.runs_on, job.updated_at, job.id
      from forge.action_job as job
      where job.status = 'waiting' and job.repository_id = repository.id and ${takeable(sql, offer)}
      order by job.updated_at, job.id
      limit 1
    ) as oldest
    where ${owner_id === null ? sql`repository.id = ${repository_id}` : sql`repository.owner_id = ${owner_id}`}
    order by oldest.updated_at, oldest.id`
}
