import * as v from 'valibot'
import { textAs } from '../../http/route/sends.ts'
import { htmlType } from '../profile.ts'
import { orKeepForm } from '../session/sender.ts'
import { manager, managing } from '../session/session.ts'

/** What the operations of the editor's pages declare. */
export const shown = {
  access: manager,
  returns: textAs(200, htmlType),
  fails: [403, 404],
} as const

/** What the operations of its forms declare. */
export const taken = {
  ...shown,
  access: orKeepForm(managing),
  returns: textAs(303, htmlType),
  body: v.record(v.string(), v.string()),
  fails: [400, 403, 404],
  alwaysValid: true,
  also: [401, 403, 404, 409, 422],
} as const
