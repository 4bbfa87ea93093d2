import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'

/** Email of the specification: an address of a user. */
export const Email = shape('Email', {
  email: v.string(),
  verified: described(v.boolean(), 'Whether the address counts as confirmed; the server sends no mail'),
  primary: described(v.boolean(), 'Whether it is the address that the account shows'),
  user_id: int,
  username: v.string(),
})
export type Email = v.InferOutput<typeof Email>
