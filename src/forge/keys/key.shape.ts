import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { moment, User } from '../accounts/user.shape.ts'

/** PublicKey of the specification: the SSH key of a user. */
export const PublicKey = shape('PublicKey', {
  id: int,
  key: described(v.string(), 'In normal form, one line: type, key, comment'),
  url: v.string(),
  title: v.string(),
  fingerprint: described(v.string(), '`SHA256:` and base64 without padding'),
  created_at: moment,
  last_used_at: described(moment, 'Equal to `created_at` until the key is used'),
  user: User,
  read_only: described(v.boolean(), 'Always `false` for keys of users'),
  key_type: v.literal('user'),
})
export type PublicKey = v.InferOutput<typeof PublicKey>
