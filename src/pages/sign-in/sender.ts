import { Problem } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import type { Access, RequestContext } from '../../http/route/route.ts'
import type { Fields } from '../form.ts'
import type { PageTools } from '../route.ts'
import { referringPath } from '../session/return-path.ts'
import { requireSameOrigin, signInFirst } from '../session/session.ts'
import { keepable } from './kept-form.ts'
import { signInPage } from './sign-in-page.ts'

/**
 * Somebody whose session has ended: makes the sign-in page in which the form waits. `path`: where the form is sent after
 * the sign-in; absent: where it was sent before.
 */
export interface SignedOut {
  signInFirst: (fields: Fields, path?: string) => ReplyWith<string>
}

/** Who sends a form. */
export type Sender<Who> = { who: Who } | SignedOut

/**
 * An access rule of forms whose text must not be lost. It admits who is not signed in as well, so that the form is read;
 * `bySender` answers them.
 */
export const orKeepForm = <Who>(access: Access<Who, PageTools>): Access<Sender<Who>, PageTools> => ({
  name: access.name,
  refusals: access.refusals.filter((status) => status !== 401),
  admit: async (context) => {
    try {
      return { who: await access.admit(context) }
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 401) throw error
      requireSameOrigin(context.headers, context.from.host)
      return { signInFirst: (fields, path = context.url) => signInWith(context, fields, path) }
    }
  },
  confirm: async (sender, tx) => {
    if ('who' in sender) await access.confirm?.(sender.who, tx)
  },
})

/** The answer to the form of a caller; for others the sign-in page, in which it waits. @throws Problem 303 it cannot wait */
export const bySender = async <Who>(
  sender: Sender<Who>,
  fields: Fields,
  act: (who: Who) => Promise<ReplyWith<string>>,
): Promise<ReplyWith<string>> => ('who' in sender ? act(sender.who) : sender.signInFirst(fields))

function signInWith(context: RequestContext<PageTools>, fields: Fields, path: string): ReplyWith<string> {
  const { headers } = context
  const { host } = context.from
  const kept = keepable(path, fields, host)
  if (!kept) throw signInFirst(context)
  const fault = 'You are not signed in any more. What you wrote waits here: sign in, and send it then.'
  return new ReplyWith(signInPage({ host, way: { next: referringPath(headers, host), kept }, fault }), {
    status: 401,
  })
}
