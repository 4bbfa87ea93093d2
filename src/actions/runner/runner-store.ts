import { randomUUID } from 'node:crypto'
import { batch } from '../../db/batch.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { inScope, type Scope } from '../run/scope.ts'

/** The only writer of runners. */

/** A runner as lists show it. */
export interface StoredRunner extends Scope {
  id: number
  uuid: string
  name: string
  version: string
  labels: string[]
  ephemeral: boolean
  disabled: boolean
  last_online: string | null
  last_active: string | null
}

/** A runner that has proved who it is. */
export interface CallingRunner extends StoredRunner {
  /** Understands that a job is to be cancelled and ends it in order. */
  cancels: boolean
  /** Gone for everybody, and heard only about the job that it was given. */
  deleted_at: string | null
  /** The number that grows whenever it may find something new; at least 1. */
  tasks_version: number
}

/** What a program says of itself when it registers. */
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
  runner.owner_id, runner.repository_id, runner.last_online, runner.last_active`

interface Presented {
  uuid: string
  tokenHash: Buffer
}

/** What a look-up gives for each that was presented: nobody has a null id. */
type Looked = CallingRunner | { id: null }

/** Each call of a runner asks this, and 500 of them poll: those that wait at the same time share one statement. */
const look = batch(async (sql: Sql, presented: readonly Presented[]): Promise<readonly Looked[]> => {
  return await sql<Looked[]>`
    select ${columns(sql)}, runner.cancels, runner.deleted_at,
      1 + coalesce((select sum(version) from forge.action_tasks_version), 0)::bigint as tasks_version
    from unnest(
      ${presented.map(({ uuid }) => uuid)}::uuid[],
      ${presented.map(({ tokenHash }) => tokenHash.toString('hex'))}::text[]
    ) with ordinality as presented (uuid, token_hash, place)
    left join forge.action_runner as runner
      on runner.uuid = presented.uuid and runner.token_hash = decode(presented.token_hash, 'hex')
    order by presented.place`
})

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The runner that these belong to; also one that was deleted a moment ago. */
export async function callingRunner(
  sql: Sql,
  uuid: string,
  tokenHash: Buffer,
): Promise<CallingRunner | undefined> {
  if (!uuidForm.test(uuid)) return undefined
  const runner = await look(sql, { uuid, tokenHash })
  return runner.id === null ? undefined : runner
}

interface Sign {
  id: number
  now: Date
  /** About a job. */
  active: boolean
}

/** How often signs of life are written, in milliseconds. */
const written = { online: 30_000, active: 5_000 }

/** Those that come together are written together; several processes may hear the same runner. */
const touch = batch(async (sql: Sql, signs: readonly Sign[]): Promise<readonly true[]> => {
  const active = signs.filter((each) => each.active).map(({ id }) => id)
  const now = signs[0]?.now ?? new Date(0)
  await sql`
    update forge.action_runner
    set last_online = greatest(last_online, ${now}::timestamptz),
      last_active = case when id = any(${active}::bigint[]) then ${now}::timestamptz else last_active end
    where id = any(${signs.map(({ id }) => id)}::bigint[])`
  return signs.map(() => true)
})

/** Notes a sign of life, as far as the last one is not too fresh. */
export async function noteSign(
  sql: Sql,
  runner: CallingRunner,
  { now, active }: { now: Date; active: boolean },
): Promise<void> {
  const older = (moment: string | null, than: number) =>
    moment === null || now.getTime() - Date.parse(moment) >= than
  const stale = older(runner.last_online, written.online)
  if (stale || (active && older(runner.last_active, written.active)))
    await touch(sql, { id: runner.id, now, active })
}

/** A scope that has gone meanwhile is told by `action_runner_owner_known` or `action_runner_repository_known`. */
export async function insertRunner(sql: Sql, draft: RunnerDraft, now: Date): Promise<StoredRunner> {
  const [runner] = await sql<[StoredRunner]>`
    insert into forge.action_runner as runner
      (uuid, name, version, owner_id, repository_id, token_hash, labels, ephemeral, cancels, created_at, updated_at)
    values
      (${randomUUID()}, ${draft.name}, ${draft.version}, ${draft.owner_id}, ${draft.repository_id},
       ${draft.tokenHash}, ${draft.labels}, ${draft.ephemeral}, ${draft.cancels}, ${now}, ${now})
    returning ${columns(sql)}`
  return runner
}

/** What a runner says of itself each time it starts. */
export async function updateDeclared(
  sql: Sql,
  id: number,
  said: Pick<RunnerDraft, 'version' | 'labels' | 'cancels'>,
  now: Date,
): Promise<void> {
  await sql`
    update forge.action_runner
    set version = ${said.version}, labels = ${said.labels}, cancels = ${said.cancels},
      last_online = ${now}, updated_at = ${now}
    where id = ${id}`
}

/** Which runners a list shows: of one scope, of all (`undefined`); `disabled`: only those that are, or are not. */
interface RunnerFilter {
  scope: Scope | undefined
  disabled: boolean | undefined
}

/** A page of runners, last seen first, and how many there are. */
export async function pageOfRunners(
  sql: Sql,
  { scope, disabled }: RunnerFilter,
  place: { limit: number; offset: number },
): Promise<{ runners: StoredRunner[]; total: number }> {
  const wanted = sql`
    deleted_at is null and (${disabled ?? null}::boolean is null or disabled = ${disabled ?? null})
    ${scope ? sql`and ${inScope(sql, scope)}` : sql``}`
  const rows = await sql<({ total: number } & (StoredRunner | { id: null }))[]>`
    select (select count(*) from forge.action_runner where ${wanted}) as total, runner.*
    from (select) as always
    left join (
      select ${columns(sql)}
      from forge.action_runner as runner
      where ${wanted}
      order by runner.last_online desc nulls last, runner.id
      limit ${place.limit}
      offset ${place.offset}
    ) as runner on true
    order by runner.last_online desc nulls last, runner.id`
  return { runners: rows.filter((row) => row.id !== null), total: rows[0]?.total ?? 0 }
}

export async function runnerById(sql: Sql, id: number): Promise<StoredRunner | undefined> {
  const [runner] = await sql<StoredRunner[]>`
    select ${columns(sql)}
    from forge.action_runner as runner
    where id = ${id} and deleted_at is null`
  return runner
}

/** The runner, locked until the transaction ends. */
export async function lockRunner(tx: Tx, id: number): Promise<StoredRunner | undefined> {
  const [runner] = await tx<StoredRunner[]>`
    select ${columns(tx)}
    from forge.action_runner as runner
    where id = ${id} and deleted_at is null
    for update`
  return runner
}

/** The runners of an account, locked until the transaction ends: none of them takes a job meanwhile. */
export async function lockRunnersOf(tx: Tx, owner: number): Promise<number[]> {
  const rows = await tx<{ id: number }[]>`
    select id
    from forge.action_runner
    where owner_id = ${owner}
    order by id
    for update`
  return rows.map(({ id }) => id)
}

/**
 * Whether a runner may take a job, which holds until the transaction ends: whoever deletes it or switches it off waits, and
 * finds the job. Calls of a runner for one job wait for each other as well.
 */
export async function holdRunner(
  tx: Tx,
  { id, ephemeral }: Pick<StoredRunner, 'id' | 'ephemeral'>,
): Promise<boolean> {
  const rows = await tx`
    select id
    from forge.action_runner
    where id = ${id} and deleted_at is null and not disabled
    ${ephemeral ? tx`for update` : tx`for key share`}`
  return rows.length === 1
}

/** Switches a runner off or on; idle ones look again, so that one that is on takes what waits. */
export async function updateDisabled(tx: Tx, id: number, disabled: boolean): Promise<void> {
  await tx`
    update forge.action_runner
    set disabled = ${disabled}, updated_at = ${tx.now}
    where id = ${id}`
  await tx`select forge.bump_tasks_version()`
}

/** Hides a runner for everybody; its row is removed when it can owe nothing more. */
export async function hideRunner(tx: Tx, id: number): Promise<boolean> {
  const { count } = await tx`
    update forge.action_runner
    set deleted_at = ${tx.now}, updated_at = ${tx.now}
    where id = ${id} and deleted_at is null`
  return count === 1
}

/** Removes the rows of runners that were deleted before a moment; gives how many. */
export async function removeHiddenRunners(sql: Sql, before: Date): Promise<number> {
  const { count } = await sql`
    delete from forge.action_runner
    where deleted_at < ${before}`
  return count
}

/** Ids of runners for one job that were not heard of since a moment, at most `limit`. */
export async function lostEphemeralRunners(sql: Sql, since: Date, limit: number): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id
    from forge.action_runner
    where ephemeral and deleted_at is null and coalesce(last_online, created_at) < ${since}
    order by id
    limit ${limit}`
  return rows.map(({ id }) => id)
}
