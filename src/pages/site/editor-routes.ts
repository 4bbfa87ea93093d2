import * as v from 'valibot'
import type { Access } from '../../http/route/route.ts'
import { textAs } from '../../http/route/sends.ts'
import { formReply, htmlType } from '../profile.ts'
import type { PageTools } from '../route.ts'
import { type Manager, managing, orSignIn } from '../session/session.ts'
import { orKeepForm } from '../sign-in/sender.ts'
import { requirePublishing } from './manage-form.ts'

/** Administrators, on a server whose news and media may be changed. */
const publishing: Access<Manager, PageTools> = {
  ...managing,
  admit: async (context) => {
    const caller = await managing.admit(context)
    requirePublishing(context)
    return caller
  },
}

/** The senders of forms about news and media. */
export const publisher = orKeepForm(publishing)

/** What the pages about news and media declare. */
export const shown = {
  access: orSignIn(publishing),
  returns: textAs(200, htmlType),
  fails: [403, 404],
} as const

/** What their forms declare. */
export const taken = {
  ...formReply,
  access: publisher,
  fails: [400, 403, 404],
  also: [401, 403, 404, 409, 422],
} as const

/** The query of pages with lists of posts and of media: what was done to which row, and the parts of the lists. */
export const listsQuery = {
  done: v.optional(v.unknown()),
  id: v.optional(v.unknown()),
  posts: v.optional(v.unknown()),
  media: v.optional(v.unknown()),
}
