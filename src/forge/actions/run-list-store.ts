import { BOT_ID } from '../../actions/run/bot.ts'
import { type Page, pageOf } from '../../db/page.ts'
import { allRows, anyRow, firstRow } from '../../db/rows.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import { accountsByIds } from '../accounts/account-store.ts'
import { repositoriesByIds } from '../repos/repo-store.ts'
import { type Listing, listOf } from './list-scope-store.ts'
import type { ListedRun, StoredRun } from './run.shape.ts'

/** Filters of a list of runs; undefined or empty values match everything. */
export interface RunFilter {
  event: string
  /** The short name of a branch. */
  branch: string
  /** The account that caused the first attempt. */
  actor: number | undefined
  head_sha: string
  /** The file of a workflow; absent: any. */
  workflow?: string
}

/** A page of runs, newest first: one statement, and one each for their repositories and accounts. */
export async function pageOfRuns(
  sql: Sql,
  listing: Omit<Listing, 'row' | 'by' | 'event' | 'more'>,
  filter: RunFilter,
): Promise<Page<ListedRun>> {
  const event = filter.event === '' ? undefined : filter.event
  const more = conditions(sql, filter)
  const list = listOf(sql, { row: 'run', by: 'desc', event, more, ...listing })
  const { rows, ...page } = await pageOf<StoredRun>(sql, listing.paging, {
    ...list,
    rows: listedRuns(sql, sql`page`),
  })
  return { rows: await withNames(sql, rows), ...page }
}

/** A run of a repository, in the state of `attempt`, or of its newest attempt. */
export async function runInRepository(
  sql: Sql,
  repository: number,
  id: number,
  attempt?: number,
): Promise<ListedRun | undefined> {
  const rows = allRows(sql<StoredRun[]>`
    ${listedRuns(sql, sql`(select ${id}::bigint as id) as picked`, attempt)}
    where run.repository_id = ${repository}`)
  return firstRow(withNames(sql, await rows))
}

/** Whether a repository has this run, and the run this attempt. */
export const runExists = (
  sql: Sql,
  repository: number,
  { run, attempt }: { run: number; attempt: number | 'newest' },
) =>
  anyRow(sql`
    select id
    from forge.action_run
    where id = ${run} and repository_id = ${repository}
      ${attempt === 'newest' ? sql`` : sql`and attempt >= ${attempt}::bigint`}`)

/** Whether a repository has a run of the workflow in this file. */
export const hasRunOf = (sql: Sql, repository: number, file: string) =>
  anyRow(sql`
    select id
    from forge.action_run
    where repository_id = ${repository} and workflow_file = ${file}
    limit 1`)

function conditions(sql: Sql, { branch, actor, head_sha, workflow = '' }: RunFilter): Fragment {
  const none = sql``
  const ref = `refs/heads/${branch}`
  return sql`
    ${branch === '' ? none : sql`and left(ref, 200) = left(${ref}::text, 200) and ref = ${ref}`}
    ${actor === undefined ? none : actor === BOT_ID ? sql`and by_bot` : sql`and actor_id = ${actor}`}
    ${head_sha === '' ? none : sql`and commit_sha = ${head_sha}`}
    ${workflow === '' ? none : sql`and workflow_file = ${workflow}`}`
}

/** Selects the listed columns of picked runs, with one attempt of each: `attempt`, or the newest. */
function listedRuns(sql: Sql, picked: Fragment, attempt?: number): Fragment {
  return sql`
    select run.id, run.repository_id, repository.owner_id, run.number, run.workflow_file, run.workflow_name, run.title, run.event, run.ref,
      run.commit_sha, run.needs_approval, run.actor_id, run.by_bot, attempt.number as attempt, attempt.status,
      attempt.actor_id as trigger_actor_id, attempt.by_bot as triggered_by_bot, attempt.started_at,
      attempt.stopped_at, run.created_at, run.updated_at, ${proposals(sql)} as pull_requests
    from ${picked}
    join forge.action_run as run using (id)
    join forge.repository on repository.id = run.repository_id and repository.state = 'ready'
    join forge.action_attempt as attempt
      on attempt.run_id = run.id and attempt.number = ${attempt === undefined ? sql`run.attempt` : sql`${attempt}::bigint`}`
}

/** Maximum pull requests of a run: a branch can be proposed to any number of others. */
const maxProposals = 100

/**
 * The pull requests of a `run` of a `repository`: the one that it is about, and for a push, the open ones there that propose its
 * branch. The head is null if its repository is gone or is not public to everybody.
 */
const proposals = (sql: Sql) => sql`
  coalesce((
    select json_agg(
      json_build_object(
        'id', issue.id, 'number', issue.number,
        'head_branch', proposal.head_branch, 'base_branch', proposal.base_branch, 'merge_base', proposal.merge_base,
        'head', case when head.id is not null
          then json_build_object('id', head.id, 'name', head.name, 'owner_name', head_owner.name) end
      )
      order by issue.number
    )
    from (
      select id
      from forge.issue
      where repository_id = run.repository_id and number = substring(
          case when run.event = 'pull_request_target' then run.payload ->> 'number' else run.ref end
          from '^(?:refs/pull/)?([0-9]{1,9})(?:/head)?$'
        )::bigint
        and run.event in ('pull_request', 'pull_request_target', 'pull_request_review', 'pull_request_review_comment')
      union all (
        select issue_id
        from forge.pull_request
        where head_repository_id = run.repository_id and repository_id = run.repository_id and is_open
          and head_branch = substring(run.ref from '^refs/heads/(.*)$') and run.event = 'push'
        order by issue_id
        limit ${maxProposals}
      )
    ) as proposed
    join forge.issue on issue.id = proposed.id
    join forge.pull_request as proposal on proposal.issue_id = issue.id
    left join forge.repository as head
      on head.id = proposal.head_repository_id
      and (head.id = run.repository_id or (not head.is_private and head.owner_visibility = 'public'))
    left join forge.account as head_owner on head_owner.id = head.owner_id
    where coalesce((repository.settings ->> 'has_pull_requests')::boolean, true)
  ), '[]')`

async function withNames(sql: Sql, runs: readonly StoredRun[]): Promise<ListedRun[]> {
  const [repositories, accounts] = await Promise.all([
    repositoriesByIds(sql, distinct(runs.map(({ repository_id }) => repository_id))),
    accountsByIds(sql, distinct(runs.flatMap((run) => [run.owner_id, actorOf(run), triggerActorOf(run)]))),
  ])
  const account = (id: number | null) => accounts.find((each) => each.id === id)
  return runs.flatMap((run) => {
    const repository = repositories.find(({ id }) => id === run.repository_id)
    const owner = account(run.owner_id)
    // Deleted since the first statement.
    if (!repository || !owner) return []
    return [
      { run, repository, owner, actor: account(actorOf(run)), triggerActor: account(triggerActorOf(run)) },
    ]
  })
}

const actorOf = ({ by_bot, actor_id }: StoredRun) => (by_bot ? BOT_ID : actor_id)

const triggerActorOf = ({ triggered_by_bot, trigger_actor_id }: StoredRun) =>
  triggered_by_bot ? BOT_ID : trigger_actor_id

const distinct = (ids: readonly (number | null)[]) => [...new Set(ids)].filter((id) => id !== null)
