import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { moment } from '../accounts/user.shape.ts'

/** One audit entry: who did what to what, when and from where. */
export const AuditEntry = shape('AuditEntry', {
  id: int,
  at: moment,
  actor: described(
    v.object({ id: int, name: v.string() }),
    'Who did it; id 0: the command line or a scheduled task',
  ),
  acting_as: described(v.string(), 'The user whom an administrator acted as; empty without `Sudo`'),
  action: described(v.string(), 'Such as `user.created`'),
  target: v.object({ kind: v.string(), id: int, name: v.string() }),
  address: described(v.string(), 'Network address of the caller; empty: none'),
  request_id: described(v.string(), '`X-Request-Id` of the request'),
  details: described(v.record(v.string(), v.unknown()), 'More about the action, without secrets'),
})
export type AuditEntry = v.InferOutput<typeof AuditEntry>

/** Entries, newest first; `next` is the `cursor` of the older ones, null at the end. */
export const AuditPage = shape('AuditPage', {
  entries: v.array(AuditEntry),
  next: described(v.nullable(int), '`cursor` of the older entries; null at the end'),
})
