import { type CronTask, removeAll } from '../../background/cron/cron-task.ts'
import { type EventOf, emitEvents } from '../../background/domain-events.ts'
import type { Tx } from '../../db/sql.ts'
import {
  type AuditActor,
  type AuditDraft,
  type AuditEvent,
  deleteEntriesBefore,
  insertAuditRows,
} from './audit-store.ts'

/** What the trail keeps of an account. */
interface Named {
  id: number
  name: string
}

/** Where a request came from; `id` null: the release before has not kept it. */
interface From {
  address: string
  id: string | null
}

/** Who acted: the caller of a request, somebody unknown, the command line, a scheduled task, or who asked for a mail. */
export type Actor =
  | { caller: { me: Named; impersonator?: Named | undefined } | 'unknown caller'; from: From }
  | 'command line'
  | 'cron task'
  | 'mail'

/** An account as the target of an event. */
export const accountTarget = ({ id, name, kind }: Named & { kind: 'person' | 'bot' | 'organization' }) => ({
  kind: kind === 'organization' ? kind : ('user' as const),
  id,
  name,
})

/** A repository as the target of an event. */
export const repositoryTarget = ({ id, name }: Named, owner: Pick<Named, 'name'>) => ({
  kind: 'repository' as const,
  id,
  name: `${owner.name}/${name}`,
})

/**
 * Adds a row to the audit trail in the transaction of the change itself, so that both are committed or neither, and a
 * line to the log after the commit. A handler calls `record(tx, context, { … })` with its own context.
 */
export async function record(tx: Tx, by: Actor, event: AuditEvent): Promise<void> {
  await recordAll(tx, [{ by, event }])
}

/** Actions about what somebody signs in with: its owner is told. */
const ofCredentials =
  /^(?:(?:gpg_)?key\.(?:added|removed)|token\.(?:created|deleted)|user\.(?:password_changed|totp_enrolled|totp_removed|recovery_code_used|recovery_codes_made))$/

/** `record` of many, in their order, with one statement. */
export async function recordAll(tx: Tx, entries: readonly { by: Actor; event: AuditEvent }[]): Promise<void> {
  const rows: AuditDraft[] = entries.map(({ by, event }) => ({ ...actorColumns(by), ...event }))
  await insertAuditRows(tx, rows)
  await emitEvents(tx, rows.flatMap(credentialsChanged))
  for (const row of rows) tx.report('audit', lineOf(row))
}

function credentialsChanged({ action, target, details }: AuditDraft): EventOf<'credentials.changed'>[] {
  if (target.kind !== 'user' || target.id === undefined) return []
  const changed = action === 'user.edited' && details?.password ? 'user.password_changed' : action
  if (!ofCredentials.test(changed)) return []
  return [{ kind: 'credentials.changed', account: target.id, action: changed }]
}

/** An entry for the log: without its details, which may hold texts of users. */
function lineOf({ actorName, actingAs, action, target, address, requestId }: AuditDraft) {
  return {
    id: requestId ?? undefined,
    action,
    actor: actorName,
    acting_as: actingAs ?? undefined,
    target_kind: target.kind,
    target_id: target.id,
    target: target.name,
    address: address === '' ? undefined : address,
  }
}

/** Who did it and from where, as the trail stores it. */
function actorColumns(by: Actor): AuditActor {
  if (typeof by === 'string')
    return { actorId: null, actorName: by, actingAs: null, address: '', requestId: null }
  const { caller, from } = by
  const origin = { address: from.address, requestId: from.id }
  if (caller === 'unknown caller') return { actorId: null, actorName: caller, actingAs: null, ...origin }
  const { id, name } = caller.impersonator ?? caller.me
  const actingAs = caller.impersonator ? caller.me.name : null
  return { actorId: id, actorName: name, actingAs, ...origin }
}

/** Age of the audit entries that the task deletes, in milliseconds. */
const RETENTION = 365 * 24 * 3_600_000

/** Deletes audit entries older than a year. Disabled by default: the operator decides whether the trail may be cut. */
export const deleteOldAuditEntries: CronTask = {
  name: 'delete_old_audit_entries',
  summary: 'Deletes entries of the audit trail that are more than a year old.',
  schedule: '@every 168h',
  enabled: false,
  run: async (run) => {
    const before = new Date(run.now.getTime() - RETENTION)
    const deleted = await removeAll(run, (limit) => deleteEntriesBefore(run.sql, before, limit))
    return deleted > 0 ? `${deleted} deleted` : undefined
  },
}
