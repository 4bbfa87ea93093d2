import { allRows, anyRow, firstRow, onlyRow, rowCount } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'

/** The only writer of artifacts and their parts. */

/** The task that an artifact comes from, while it runs. */
export interface RunningTask {
  id: number
  job_id: number
  run_id: number
  attempt: number
  repository_id: number
}

/** An artifact, complete or not. */
export interface StoredArtifact {
  id: number
  repository_id: number
  run_id: number
  name: string
  /** Of its content; null: a set of files. */
  media_type: string | null
  /** Bytes; null until it is complete. */
  size: number | null
  /** SHA-256 of the content, if its task has named it. */
  sha256: string | null
  expires_at: string
  created_at: string
  updated_at: string
}

/** A piece of an artifact. */
export interface StoredPart {
  path: string
  sha256: string
  size: number
  is_gzipped: boolean
}

export const artifactColumns = (sql: Sql) => sql`
  artifact.id, artifact.repository_id, artifact.run_id, artifact.name, artifact.media_type, artifact.size,
  artifact.sha256, artifact.expires_at, artifact.created_at, artifact.updated_at`

/** The task, if it still runs and belongs to this run. */
export const runningTask = (sql: Sql, task: number, run: number) =>
  firstRow(sql<RunningTask[]>`
    select task.id, task.job_id, job.run_id, job.attempt, job.repository_id
    from forge.action_task as task
    join forge.action_job as job on job.id = task.job_id
    where task.id = ${task} and job.run_id = ${run} and task.status in ('in_progress', 'cancelling')`)

/** Locks the task against its end until the transaction ends; false if it has ended. */
export const holdRunningTask = (tx: Tx, { id }: RunningTask) =>
  anyRow(tx`
    select id
    from forge.action_task
    where id = ${id} and status in ('in_progress', 'cancelling')
    for share`)

interface ArtifactDraft {
  name: string
  /** Null: a set of files. */
  mediaType: string | null
  expiresAt: Date
}

/** Begins an artifact with one content; what the task has sent of an unfinished one of this name is forgotten. */
export async function beginArtifact(tx: Tx, task: RunningTask, draft: ArtifactDraft): Promise<number> {
  await tx`
    delete from forge.action_artifact
    where task_id = ${task.id} and name = ${draft.name} and size is null and media_type is not null`
  return (await insertArtifact(tx, task, draft)).id
}

const insertArtifact = (tx: Tx, task: RunningTask, { name, mediaType, expiresAt }: ArtifactDraft) =>
  onlyRow(tx<[{ id: number }]>`
    insert into forge.action_artifact
      (repository_id, run_id, attempt, task_id, name, media_type, expires_at, created_at, updated_at)
    values (${task.repository_id}, ${task.run_id}, ${task.attempt}, ${task.id}, ${name}, ${mediaType}, ${expiresAt},
      ${tx.now}, ${tx.now})
    returning id`)

/** The id of the set of files of this name, which jobs of an attempt share; it is begun if there is none. 0: a content has the name. */
export async function filesNamed(tx: Tx, task: RunningTask, draft: ArtifactDraft): Promise<number> {
  const row = await firstRow(tx<{ id: number }[]>`
    insert into forge.action_artifact as artifact
      (repository_id, run_id, attempt, task_id, name, expires_at, created_at, updated_at)
    values (${task.repository_id}, ${task.run_id}, ${task.attempt}, ${task.id}, ${draft.name}, ${draft.expiresAt},
      ${tx.now}, ${tx.now})
    on conflict (run_id, attempt, name) where size is not null or media_type is null
      do update set updated_at = excluded.updated_at
      where artifact.media_type is null
    returning id`)
  return row?.id ?? 0
}

/** An artifact of a task that is not complete, locked until the transaction ends. */
export const lockUnfinished = (tx: Tx, task: RunningTask, by: { id: number } | { name: string }) =>
  firstRow(tx<StoredArtifact[]>`
    select ${artifactColumns(tx)}
    from forge.action_artifact as artifact
    where task_id = ${task.id} and size is null and media_type is not null
      and ${'id' in by ? tx`id = ${by.id}` : tx`name = ${by.name}`}
    for update`)

/** The id of the unfinished artifact of this name that a task sends. */
export async function unfinished(sql: Sql, task: RunningTask, name: string): Promise<number | undefined> {
  const row = await firstRow(sql<{ id: number }[]>`
    select id
    from forge.action_artifact
    where task_id = ${task.id} and name = ${name} and size is null and media_type is not null`)
  return row?.id
}

/** Whether an attempt has a complete artifact of this name. */
export const isTaken = (sql: Sql, { run_id, attempt }: RunningTask, name: string) =>
  anyRow(sql`
    select id
    from forge.action_artifact
    where run_id = ${run_id} and attempt = ${attempt} and name = ${name} and (size is not null or media_type is null)`)

/** How many artifacts a run has, unfinished ones included. */
export async function countInRun(sql: Sql, { run_id }: RunningTask): Promise<number> {
  const row = await onlyRow(sql<[{ artifacts: number }]>`
    select count(*) as artifacts
    from forge.action_artifact
    where run_id = ${run_id}`)
  return row.artifacts
}

/** Bytes of all artifacts of a repository, unfinished ones included. */
export async function bytesInRepository(sql: Sql, { repository_id }: RunningTask): Promise<number> {
  const row = await onlyRow(sql<[{ bytes: number }]>`
    select coalesce(sum(received), 0)::bigint as bytes
    from forge.action_artifact
    where repository_id = ${repository_id}`)
  return row.bytes
}

interface PartDraft {
  path: string
  block: string
  /** Undefined: a list of blocks will say it; `last`: behind all others. */
  position: number | 'last' | undefined
  sha256: string
  size: number
  fileSize?: number
  isGzipped?: boolean
}

/** The set of files of this name in the attempt of a task; undefined: there is none. */
export const lockFiles = (tx: Tx, { run_id, attempt }: RunningTask, name: string) =>
  firstRow(tx<StoredArtifact[]>`
    select ${artifactColumns(tx)}
    from forge.action_artifact as artifact
    where run_id = ${run_id} and attempt = ${attempt} and name = ${name} and media_type is null
    for update`)

/** Adds a part whose content has a row (`holdBlob`), in the place of one with the same block; returns the number of parts. */
export async function putPart(tx: Tx, artifact: number, part: PartDraft): Promise<number> {
  const { path, block, position, sha256, size, fileSize = null, isGzipped = false } = part
  const last = tx`(select coalesce(sum(size), 0)::bigint from forge.action_artifact_part where artifact_id = ${artifact})`
  await tx`
    insert into forge.action_artifact_part as part
      (artifact_id, path, block, position, blob, size, file_size, is_gzipped)
    values (${artifact}, ${path}, ${block}, ${position === 'last' ? last : (position ?? null)}, ${sha256}, ${size},
      ${fileSize}, ${isGzipped})
    on conflict on constraint action_artifact_part_pkey
      do update set position = excluded.position, blob = excluded.blob, size = excluded.size,
        file_size = excluded.file_size, is_gzipped = excluded.is_gzipped`
  const row = await onlyRow(tx<[{ parts: number }]>`
    with part as (
      select size
      from forge.action_artifact_part
      where artifact_id = ${artifact}
    )
    update forge.action_artifact
    set received = (select coalesce(sum(size), 0) from part), updated_at = ${tx.now}
    where id = ${artifact}
    returning (select count(*) from part) as parts`)
  return row.parts
}

/** Forgets all parts of an artifact with one content. */
export async function deleteParts(tx: Tx, artifact: number): Promise<void> {
  await tx`
    delete from forge.action_artifact_part
    where artifact_id = ${artifact}`
}

/** Orders the blocks of an artifact as a list names them, and forgets the others; returns how many are there. */
export async function orderBlocks(tx: Tx, artifact: number, blocks: readonly string[]): Promise<number> {
  await tx`
    delete from forge.action_artifact_part
    where artifact_id = ${artifact} and block <> all(${[...blocks]}::text[])`
  return rowCount(tx`
    update forge.action_artifact_part as part
    set position = listed.position
    from unnest(${[...blocks]}::text[]) with ordinality as listed (block, position)
    where artifact_id = ${artifact} and part.block = listed.block
    returning part.block`)
}

/** The ordered parts of a content, or of all files of a set in the order of their paths. */
export const partsOf = (sql: Sql, artifact: number) =>
  allRows(sql<StoredPart[]>`
    select path, blob as sha256, size, is_gzipped
    from forge.action_artifact_part
    where artifact_id = ${artifact} and position is not null
    order by path, position`)

/** The first file of a set whose pieces do not cover it from its first to its last byte; undefined if all are whole. */
export const brokenFile = (sql: Sql, artifact: number) =>
  firstRow(sql<{ path: string }[]>`
    select path
    from (
      select path, file_size, position, size,
        coalesce(sum(size) over (partition by path order by position rows between unbounded preceding and 1 preceding), 0)
          as expected, sum(size) over (partition by path) as whole
      from forge.action_artifact_part
      where artifact_id = ${artifact}
    ) as part
    where position <> expected or whole <> file_size
    order by path
    limit 1`)

/** Makes an artifact visible. A complete one of this name violates `action_artifact_name_unique`. */
export const completeArtifact = (
  tx: Tx,
  id: number,
  { size, sha256 }: { size: number; sha256: string | null },
) =>
  onlyRow(tx<[StoredArtifact]>`
    update forge.action_artifact as artifact
    set size = ${size}, sha256 = ${sha256}, received = ${size}, updated_at = ${tx.now}
    where id = ${id}
    returning ${artifactColumns(tx)}`)

/** The complete artifacts of a run with a name, or all; of several attempts, the newest of each name. */
export const artifactsOfRun = (sql: Sql, run: number, name?: string) =>
  allRows(sql<StoredArtifact[]>`
    select distinct on (artifact.name) ${artifactColumns(sql)}
    from forge.action_artifact as artifact
    where run_id = ${run} and size is not null ${name === undefined ? sql`` : sql`and name = ${name}`}
    order by name, attempt desc, id desc`)

/** A complete artifact by its id, whatever its repository: for who has a signed address of it. */
export const artifactById = (sql: Sql, id: number) =>
  firstRow(sql<StoredArtifact[]>`
    select ${artifactColumns(sql)}
    from forge.action_artifact as artifact
    where id = ${id} and size is not null`)

/** Deletes an artifact, whose contents `cleanup_packages` removes; false if there is none. */
export const deleteArtifact = (tx: Tx, id: number) =>
  anyRow(tx`
    delete from forge.action_artifact
    where id = ${id}
    returning id`)

/**
 * Deletes up to `limit` artifacts that have expired, and unfinished ones of tasks that have ended and that nothing was
 * added to since `before`; returns how many.
 */
export const deleteExpiredArtifacts = (sql: Sql, now: Date, before: Date, limit: number) =>
  rowCount(sql`
    delete from forge.action_artifact
    where id in (
      select artifact.id
      from forge.action_artifact as artifact
      left join forge.action_task as task on task.id = artifact.task_id
      where artifact.expires_at <= ${now}
        or (artifact.size is null and artifact.updated_at < ${before} and task.stopped_at is not null)
      order by artifact.id
      limit ${limit}
    )
    returning id`)
