import * as v from 'valibot'
import type { StoredSecret } from '../../actions/secrets/secret-store.ts'
import { option, text } from '../protocol/fields.ts'
import { required } from '../protocol/rules.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import { moment } from '../users/user.shape.ts'

/** A secret as lists show it: never what it holds. */
export const Secret = v.object({ name: v.string(), description: v.string(), created_at: moment })
export type Secret = v.InferOutput<typeof Secret>

/** What a secret is to hold. A description that is left out is cleared. */
export const CreateOrUpdateSecretOption = option({ data: text(required), description: text() })

export function printSecret({ name, description, created_at }: StoredSecret): Secret {
  return { name, description, created_at: printTime(created_at, EPOCH) }
}
