import { type CronTask, removeAll } from '../../background/cron/cron-task.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import type { Origin } from '../../http/server/origin.ts'
import type { Account } from '../accounts/account.ts'

/** Who acted: the caller of a request, the command line, or a scheduled task. */
export type Actor =
  | {
      caller: { me: Pick<Account, 'id' | 'name'>; impersonator: Pick<Account, 'id' | 'name'> | undefined }
      from: Origin
    }
  | 'command line'
  | 'cron task'

/** What was done. Action names are `noun.verb` in the past tense: `user.created`. Details never contain a secret. */
interface AuditEvent {
  action: `${string}.${string}`
  target: { kind: string; id?: number; name: string }
  details?: Readonly<Record<string, unknown>>
}

/**
 * Adds a row to the audit trail in the transaction of the change itself, so that both are committed or neither. A
 * handler calls `record(tx, context, { … })` with the context that it was given.
 */
export async function record(tx: Tx, by: Actor, { action, target, details }: AuditEvent): Promise<void> {
  const context = typeof by === 'string' ? undefined : by
  const actor = context && (context.caller.impersonator ?? context.caller.me)
  const actingAs = context?.caller.impersonator ? context.caller.me.name : null
  await tx`
    insert into forge.audit
      (at, actor_id, actor_name, acting_as, action, target_kind, target_id, target_name, address, request_id, details)
    values
      (${tx.now}, ${actor?.id ?? null}, ${actor?.name ?? String(by)}, ${actingAs}, ${action}, ${target.kind},
       ${target.id ?? null}, ${target.name}, ${context?.from.address ?? ''}, ${context?.from.id ?? null},
       ${JSON.stringify(details ?? {})}::text::jsonb)`
}

/** How long the task keeps audit entries, in milliseconds. */
const RETENTION = 365 * 24 * 3_600_000

/** Deletes audit entries older than a year. Disabled by default: the operator decides whether the trail may be cut. */
export const deleteOldAuditEntries: CronTask = {
  name: 'delete_old_audit_entries',
  schedule: '@every 168h',
  enabled: false,
  run: async (run) => {
    const before = new Date(run.now.getTime() - RETENTION)
    const deleted = await removeAll(run, (limit) => deleteEntriesBefore(run.sql, before, limit))
    return deleted > 0 ? `${deleted} deleted` : undefined
  },
}

/** Deletes the oldest entries before a time, at most `limit`; returns how many. */
async function deleteEntriesBefore(sql: Sql, moment: Date, limit: number): Promise<number> {
  const deleted = await sql`
    delete from forge.audit
    where id in (
      select id
      from forge.audit
      where at < ${moment}
      order by at, id
      limit ${limit}
    )`
  return deleted.count
}
