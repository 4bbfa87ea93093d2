import * as v from 'valibot'
import type { StoredSecret } from '../../actions/secrets/secret-store.ts'
import { shape } from '../../http/route/validate.ts'
import { moment } from '../accounts/user.shape.ts'
import { EPOCH, printTime } from '../protocol/time.ts'

/** A secret as lists show it, always without its value. */
export const Secret = shape('Secret', { name: v.string(), description: v.string(), created_at: moment })
export type Secret = v.InferOutput<typeof Secret>

export function printSecret({ name, description, created_at }: StoredSecret): Secret {
  return { name, description, created_at: printTime(created_at, EPOCH) }
}
