import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { int } from '../../http/route/values.ts'
import { flag, option, text } from '../protocol/fields.ts'
import { required } from '../protocol/rules.ts'
import { moment, User } from '../users/user.shape.ts'

/** PublicKey of the specification: the SSH key of a user. */
export const PublicKey = shape('PublicKey', {
  id: int,
  /** In normal form, one line: `type base64 comment`. */
  key: v.string(),
  url: v.string(),
  title: v.string(),
  /** `SHA256:` and base64 without padding. */
  fingerprint: v.string(),
  created_at: moment,
  /** Equal to `created_at` until the key is used. */
  last_used_at: moment,
  user: User,
  read_only: v.boolean(),
  key_type: v.literal('user'),
})
export type PublicKey = v.InferOutput<typeof PublicKey>

/** CreateKeyOption of the specification. */
export const CreateKeyOption = option('CreateKeyOption', {
  title: text(required),
  key: text(required),
  /** Accepted for clients that send it, and ignored: it applies to deploy keys only. */
  read_only: flag(),
})
