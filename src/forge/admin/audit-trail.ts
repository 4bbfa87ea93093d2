import { type CronTask, removeAll } from '../../background/cron/cron-task.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import type { Origin } from '../../http/server/origin.ts'
import type { Account } from '../accounts/account.ts'

/** Who did it: the caller of a request, the command line, or a task with a schedule. */
export type Actor =
  | {
      caller: { me: Pick<Account, 'id' | 'name'>; behind: Pick<Account, 'id' | 'name'> | undefined }
      from: Origin
    }
  | 'command line'
  | 'cron task'

/** What was done. Names of actions are `noun.verb` in the past: `user.created`. Details never hold a secret. */
interface AuditEvent {
  action: `${string}.${string}`
  target: { kind: string; id?: number; name: string }
  details?: Readonly<Record<string, unknown>>
}

/**
 * Leaves a row in the audit trail, in the transaction of the deed: there is no deed without its row, and no row
 * without its deed. A route writes `record(tx, ask, { … })` with what its handler was given.
 */
export async function record(tx: Tx, by: Actor, { action, target, details }: AuditEvent): Promise<void> {
  const context = typeof by === 'string' ? undefined : by
  const who = context && (context.caller.behind ?? context.caller.me)
  const actingAs = context?.caller.behind ? context.caller.me.name : null
  await tx`
    insert into forge.audit
      (at, actor_id, actor_name, acting_as, action, target_kind, target_id, target_name, address, request_id, details)
    values
      (${tx.now}, ${who?.id ?? null}, ${who?.name ?? String(by)}, ${actingAs}, ${action}, ${target.kind},
       ${target.id ?? null}, ${target.name}, ${context?.from.address ?? ''}, ${context?.from.id ?? null},
       ${JSON.stringify(details ?? {})}::text::jsonb)`
}

/** How long what was done is remembered where the task runs, in milliseconds. */
const remembered = 365 * 24 * 3_600_000

/** Forgets what was done more than a year ago. Off: whether a trail may be cut is the operator's to say. */
export const deleteOldAuditEntries: CronTask = {
  name: 'delete_old_audit_entries',
  schedule: '@every 168h',
  enabled: false,
  run: async (run) => {
    const before = new Date(run.now.getTime() - remembered)
    const deleted = await removeAll(run, (limit) => deleteDeedsBefore(run.sql, before, limit))
    return deleted > 0 ? `${deleted} deleted` : undefined
  },
}

/** Deletes the oldest entries, at most so many; gives how many. */
async function deleteDeedsBefore(sql: Sql, moment: Date, limit: number): Promise<number> {
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
