import { randomUUID } from 'node:crypto'
import { batch } from '../../db/batch.ts'
import { type Paging, pageOf } from '../../db/page.ts'
import { allRows, anyRow, firstRow, onlyRow, rowIds } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { inScope, type Scope } from '../secrets/scope-store.ts'

/** The only writer of runners. */

/** A runner without its credentials. */
export interface StoredRunner extends Scope {
  id: number
  uuid: string
  name: string
  version: string
  labels: string[]
  ephemeral: boolean
  disabled: boolean
  last_online: string | null
}

/** A runner as lists show it. */
export interface ListedRunner extends StoredRunner {
  /** Whether it has a job that has not ended. */
  is_busy: boolean
}

/** An authenticated runner. */
export interface CallingRunner extends StoredRunner {
  /** Whether the runner supports the cancellation of a job. */
  cancels: boolean
  /** Set when it was deleted; such a runner may only report on its last job. */
  deleted_at: string | null
  /** Grows whenever new work may be available; at least 1. */
  tasks_version: number
}

/** A runner to insert. */
export interface RunnerDraft extends Scope {
  name: string
  version: string
  labels: readonly string[]
  ephemeral: boolean
  cancels: boolean
  tokenHash: Buffer
}

const columns = (sql: Sql) => sql`
  runner.id, runner.uuid, runner.name, runner.version, runner.labels, runner.ephemeral, runner.disabled,
  runner.owner_id, runner.repository_id, runner.last_online`

const listedColumns = (sql: Sql) => sql`
  ${columns(sql)}, exists (
    select
    from forge.action_task as task
    where task.runner_id = runner.id and task.status in ('in_progress', 'cancelling')) as is_busy`

interface Credentials {
  uuid: string
  tokenHash: Buffer
}

/** The result for one pair of credentials; id null: no such runner. */
type Match = CallingRunner | { id: null }

/** Every call of a runner looks it up, and 500 of them poll: calls that wait at the same time share one statement. */
const lookUp = batch(
  (sql: Sql, credentials: readonly Credentials[]) =>
    allRows(sql<Match[]>`
    select ${columns(sql)}, runner.cancels, runner.deleted_at,
      1 + coalesce((select sum(version) from forge.action_tasks_version), 0)::bigint as tasks_version
    from unnest(
      ${credentials.map(({ uuid }) => uuid)}::uuid[],
      ${credentials.map(({ tokenHash }) => tokenHash.toString('hex'))}::text[]
    ) with ordinality as presented (uuid, token_hash, position)
    left join forge.action_runner as runner
      on runner.uuid = presented.uuid and runner.token_hash = decode(presented.token_hash, 'hex')
    order by presented.position`),
  undefined,
  true,
)

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The runner with these credentials, or one that was recently deleted. */
export async function callingRunner(
  sql: Sql,
  uuid: string,
  tokenHash: Buffer,
): Promise<CallingRunner | undefined> {
  if (!uuidForm.test(uuid)) return undefined
  const runner = await lookUp(sql, { uuid, tokenHash })
  return runner.id === null ? undefined : runner
}

interface Contact {
  id: number
  now: Date
}

/** Minimum time between two writes of the last call, in milliseconds. */
const writeInterval = 30_000

/** Writes the times of concurrent calls in one statement; several processes may write for the same runner. */
const writeContacts = batch(async (sql: Sql, contacts: readonly Contact[]): Promise<readonly true[]> => {
  const now = contacts[0]?.now ?? new Date(0)
  await sql`
    update forge.action_runner
    set last_online = greatest(last_online, ${now}::timestamptz)
    where id = any(${contacts.map(({ id }) => id)}::bigint[])`
  return contacts.map(() => true)
})

/** Stores the time of a call, unless the stored time is recent enough. */
export async function recordContact(
  sql: Sql,
  { id, last_online }: Pick<CallingRunner, 'id' | 'last_online'>,
  now: Date,
): Promise<void> {
  const isStale = last_online === null || now.getTime() - Date.parse(last_online) >= writeInterval
  if (isStale) await writeContacts(sql, { id, now })
}

/** A deleted scope violates `action_runner_owner_known` or `action_runner_repository_known`. */
export const insertRunner = (sql: Sql, draft: RunnerDraft, now: Date) =>
  onlyRow(sql<[StoredRunner]>`
    insert into forge.action_runner as runner
      (uuid, name, version, owner_id, repository_id, token_hash, labels, ephemeral, cancels, created_at, updated_at)
    values
      (${randomUUID()}, ${draft.name}, ${draft.version}, ${draft.owner_id}, ${draft.repository_id},
       ${draft.tokenHash}, ${draft.labels}, ${draft.ephemeral}, ${draft.cancels}, ${now}, ${now})
    returning ${columns(sql)}`)

/** Stores the declaration of a runner that starts. */
export async function updateDeclaration(
  sql: Sql,
  id: number,
  declared: Pick<RunnerDraft, 'version' | 'labels' | 'cancels'>,
  now: Date,
): Promise<void> {
  await sql`
    update forge.action_runner
    set version = ${declared.version}, labels = ${declared.labels}, cancels = ${declared.cancels},
      last_online = ${now}, updated_at = ${now}
    where id = ${id}`
}

/** Filter of a list: `scope` undefined: all runners; `disabled`: only those with this value, undefined: both. */
interface RunnerFilter {
  scope: Scope | undefined
  disabled: boolean | undefined
}

/** How many runners there are, and how many of them have not called since then. */
export const countRunners = (sql: Sql, since: Date) =>
  onlyRow(sql<[{ total: number; silent: number }]>`
    select count(*) as total,
      count(*) filter (where last_online is null or last_online < ${since}) as silent
    from forge.action_runner
    where deleted_at is null`)

/** A page of runners, most recent contact first, and their total. */
export const pageOfRunners = (sql: Sql, { scope, disabled }: RunnerFilter, paging: Paging) =>
  pageOf<ListedRunner>(sql, paging, {
    from: sql`
      from forge.action_runner as runner
      where deleted_at is null and (${disabled ?? null}::boolean is null or disabled = ${disabled ?? null})
        ${scope ? sql`and ${inScope(sql, scope)}` : sql``}`,
    columns: listedColumns(sql),
    by: sql`order by last_online desc nulls last, id`,
  })

export const runnerById = (sql: Sql, id: number) =>
  firstRow(sql<ListedRunner[]>`
    select ${listedColumns(sql)}
    from forge.action_runner as runner
    where id = ${id} and deleted_at is null`)

/** The runner, locked until the transaction ends. */
export const lockRunner = (tx: Tx, id: number) =>
  firstRow(tx<ListedRunner[]>`
    select ${listedColumns(tx)}
    from forge.action_runner as runner
    where id = ${id} and deleted_at is null
    for update`)

/** Locks the runners of an account or a repository until the transaction ends, so that none of them takes a job. */
export const lockRunnersOf = (tx: Tx, of: { owner: number } | { repository: number }) =>
  rowIds(tx`
    select id
    from forge.action_runner
    where ${'owner' in of ? tx`owner_id = ${of.owner}` : tx`repository_id = ${of.repository}`}
    order by id
    for update`)

/**
 * Whether a runner may take a job. This stays true until the transaction ends: one that deletes or disables the runner
 * waits for it and then sees the job. Calls of an ephemeral runner also wait for each other.
 */
export const lockForTask = (tx: Tx, { id, ephemeral }: Pick<StoredRunner, 'id' | 'ephemeral'>) =>
  anyRow(tx`
    select id
    from forge.action_runner
    where id = ${id} and deleted_at is null and not disabled
    ${ephemeral ? tx`for update` : tx`for key share`}`)

/** Disables or enables a runner and makes idle runners poll again, so that an enabled one takes a waiting job. */
export async function updateDisabled(tx: Tx, id: number, disabled: boolean): Promise<void> {
  await tx`
    update forge.action_runner
    set disabled = ${disabled}, updated_at = ${tx.now}
    where id = ${id}`
  await tx`select forge.bump_tasks_version()`
}

/** Marks a runner as deleted; its row is deleted later, when it can no longer report. */
export const hideRunner = (tx: Tx, id: number) =>
  anyRow(tx`
    update forge.action_runner
    set deleted_at = ${tx.now}, updated_at = ${tx.now}
    where id = ${id} and deleted_at is null`)

/** Deletes the rows of runners that were marked as deleted before a moment. */
export async function deleteHiddenRunners(sql: Sql, before: Date): Promise<void> {
  await sql`
    delete from forge.action_runner
    where deleted_at < ${before}`
}

/** Ids of at most `limit` ephemeral runners without contact since a moment. */
export const lostEphemeralRunners = (sql: Sql, since: Date, limit: number) =>
  rowIds(sql`
    select id
    from forge.action_runner
    where ephemeral and deleted_at is null and coalesce(last_online, created_at) < ${since}
    order by id
    limit ${limit}`)
