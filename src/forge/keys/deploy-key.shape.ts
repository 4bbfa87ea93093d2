import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { moment } from '../accounts/user.shape.ts'
import { Repository } from '../repos/repo.shape.ts'

/** DeployKey of the specification: an SSH key of a repository. */
export const DeployKey = shape('DeployKey', {
  id: int,
  key_id: described(int, 'Equal for the same key in several repositories'),
  key: described(v.string(), 'In normal form, one line: type, key, comment'),
  url: v.string(),
  title: v.string(),
  fingerprint: described(v.string(), '`SHA256:` and base64 without padding'),
  created_at: moment,
  last_used_at: described(moment, 'Equal to `created_at` until the key is used'),
  read_only: described(v.boolean(), 'Whether it may only read'),
  repository: described(
    v.optional(Repository),
    'Only for administrators and the user who owns it, with the permissions of the key; absent in the answer to its creation',
  ),
})
export type DeployKey = v.InferOutput<typeof DeployKey>
