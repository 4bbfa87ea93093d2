import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { int } from '../../http/route/values.ts'
import { moment } from '../users/user.shape.ts'

/** One audit entry: who did what to what, when and from where. */
export const AuditEntry = shape('AuditEntry', {
  id: int,
  at: moment,
  /** Id 0: the command line, or a scheduled task. */
  actor: v.object({ id: int, name: v.string() }),
  /** The user whom an administrator impersonated; "" without sudo. */
  acting_as: v.string(),
  action: v.string(),
  target: v.object({ kind: v.string(), id: int, name: v.string() }),
  address: v.string(),
  request_id: v.string(),
  details: v.record(v.string(), v.unknown()),
})
export type AuditEntry = v.InferOutput<typeof AuditEntry>

/** Entries, newest first; `next` is the `cursor` of the older ones, null at the end. */
export const AuditPage = shape('AuditPage', { entries: v.array(AuditEntry), next: v.nullable(int) })
