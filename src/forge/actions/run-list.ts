import { BOT_ID } from '../../actions/run/bot.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import type { Page } from '../../http/route/page.ts'
import { accountsByIds } from '../accounts/account.ts'
import { repositoriesByIds } from '../repos/repo-store.ts'
import { type Listing, pageIn } from './list-scope.ts'
import type { ListedRun, StoredRun } from './run.shape.ts'

/** What runs are narrowed to; what is undefined or empty narrows nothing. */
export interface RunFilter {
  event: string
  /** The short name of a branch. */
  branch: string
  /** Who caused the first attempt. */
  actor: number | undefined
  head_sha: string
}

/** A page of runs, newest first: one statement, and one each for the repositories and accounts in it. */
export async function pageOfRuns(
  sql: Sql,
  listing: Omit<Listing, 'row' | 'by' | 'event' | 'more'>,
  filter: RunFilter,
): Promise<Page<ListedRun>> {
  const event = filter.event === '' ? undefined : filter.event
  const more = conditions(sql, filter)
  const { ids, total } = pageIn(sql, { row: 'run', by: 'desc', event, more, ...listing })
  const rows = await sql<({ total: number } & (StoredRun | { id: null }))[]>`
    select ${total} as total, run.*
    from (select) as always
    left join (${runs(sql, sql`(${ids}) as picked`)}) as run on true
    order by run.id desc`
  const found = rows.filter((row) => row.id !== null)
  const { page, limit } = listing.paging
  return { page, limit, rows: await withNames(sql, found), total: rows[0]?.total ?? 0 }
}

/** A run of a repository, as it is or as an earlier attempt of it was. */
export async function runInRepository(
  sql: Sql,
  repository: number,
  id: number,
  attempt?: number,
): Promise<ListedRun | undefined> {
  const rows = await sql<StoredRun[]>`
    ${runs(sql, sql`(select ${id}::bigint as id) as picked`, attempt)}
    where run.repository_id = ${repository}`
  const [run] = await withNames(sql, rows)
  return run
}

/** Whether a repository has a run of that number, and an attempt of that number in it. */
export async function runExists(
  sql: Sql,
  repository: number,
  { run, attempt }: { run: number; attempt: number | 'newest' },
): Promise<boolean> {
  const rows = await sql`
    select id
    from forge.action_run
    where id = ${run} and repository_id = ${repository}
      ${attempt === 'newest' ? sql`` : sql`and attempt >= ${attempt}::bigint`}`
  return rows.length > 0
}

/** What only rows can tell; undefined where nothing is asked of them. */
function conditions(sql: Sql, { branch, actor, head_sha }: RunFilter): Fragment | undefined {
  if (branch === '' && actor === undefined && head_sha === '') return undefined
  const none = sql``
  const ref = `refs/heads/${branch}`
  return sql`
    ${branch === '' ? none : sql`and left(ref, 200) = left(${ref}::text, 200) and ref = ${ref}`}
    ${actor === undefined ? none : actor === BOT_ID ? sql`and by_bot` : sql`and actor_id = ${actor}`}
    ${head_sha === '' ? none : sql`and commit_sha = ${head_sha}`}`
}

/** What is shown of runs whose ids are picked, and of one attempt of each: this one, or the newest. */
function runs(sql: Sql, picked: Fragment, attempt?: number): Fragment {
  return sql`
    select run.id, run.repository_id, repository.owner_id, run.number, run.workflow_file, run.title, run.event, run.ref,
      run.commit_sha, run.needs_approval, run.actor_id, run.by_bot, attempt.number as attempt, attempt.status,
      attempt.actor_id as trigger_actor_id, attempt.by_bot as triggered_by_bot, attempt.started_at,
      attempt.stopped_at, run.created_at, run.updated_at
    from ${picked}
    join forge.action_run as run using (id)
    join forge.repository on repository.id = run.repository_id and repository.state = 'ready'
    join forge.action_attempt as attempt
      on attempt.run_id = run.id and attempt.number = ${attempt === undefined ? sql`run.attempt` : sql`${attempt}::bigint`}`
}

async function withNames(sql: Sql, runs: readonly StoredRun[]): Promise<ListedRun[]> {
  const [repositories, accounts] = await Promise.all([
    repositoriesByIds(sql, distinct(runs.map(({ repository_id }) => repository_id))),
    accountsByIds(sql, distinct(runs.flatMap((run) => [run.owner_id, actorOf(run), triggerActorOf(run)]))),
  ])
  const account = (id: number | null) => accounts.find((each) => each.id === id)
  return runs.flatMap((run) => {
    const repository = repositories.find(({ id }) => id === run.repository_id)
    const owner = account(run.owner_id)
    // Gone since the first statement.
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
