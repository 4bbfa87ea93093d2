import type { Secrets } from '../../db/encryption/secrets.ts'
import { anyRow, firstRow } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'

/** The only writer of the secrets that tasks have received. */

/** Associated data of the encrypted values of a task (`db/encryption/secrets.ts`). */
export const taskSecretsPurpose = (task: number): string => `secrets of task ${task}`

/** Stores the secrets that a task will receive; false if the task has ended meanwhile. */
export const insertTaskSecrets = (sql: Sql, secrets: Secrets, task: number, values: readonly string[]) =>
  anyRow(sql`
    insert into forge.action_task_secret (task_id, sealed)
    select id, ${secrets.encrypt(JSON.stringify(values), taskSecretsPurpose(task))}::bytea
    from forge.action_task
    where id = ${task} and status = 'in_progress'
    returning task_id`)

/** Undefined for a task that a process of an earlier release assigned. */
export const sealedTaskSecrets = (sql: Sql, task: number) =>
  firstRow(sql<{ sealed: Buffer }[]>`
    select sealed
    from forge.action_task_secret
    where task_id = ${task}`)

/** Deletes the secrets of tasks that ended before a moment and whose logs are closed. */
export async function deleteOldTaskSecrets(sql: Sql, before: Date): Promise<void> {
  await sql`
    delete from forge.action_task_secret
    using forge.action_task as task
    where task.id = task_id and task.log_sealed and task.stopped_at < ${before}`
}
