import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described } from '../../http/route/values.ts'
import { moment } from '../accounts/user.shape.ts'

/** A link with which a person sets a new password. Our extension. */
export const PasswordLink = shape('PasswordLink', {
  url: described(v.string(), 'The address to pass on; it is shown only now'),
  expires_at: described(moment, 'When the link ends, unless it is used, replaced, or the password changes'),
})
