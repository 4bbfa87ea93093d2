import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { moment } from '../accounts/user.shape.ts'

/** A mail that waits or was given up; its text is written as it is sent. */
export const Mail = shape('Mail', {
  id: int,
  kind: described(v.string(), 'What it is about, such as `password_forgotten`'),
  recipient: v.string(),
  state: v.picklist(['waiting', 'failed']),
  attempts: described(int, 'Attempts that have begun'),
  error: described(v.string(), 'Why the last attempt failed; empty: there was none, or it has not ended'),
  created_at: moment,
  next_attempt: described(v.nullable(moment), 'null: the server has given it up'),
})
export type Mail = v.InferOutput<typeof Mail>
