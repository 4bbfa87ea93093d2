import { type SignedIn, signedInFully } from '../../forge/auth/access.ts'
import { hashToken } from '../../forge/auth/token.ts'
import { Problem } from '../../http/route/problem.ts'
import type { Access, RequestContext } from '../../http/route/route.ts'
import type { PageTools } from '../route.ts'
import { orSignIn, secretIn, withCredentials } from '../session/session.ts'

/** Who is signed in and changes their own account. */
export interface Person extends SignedIn {
  /** The hash of the session that asks; undefined: the request has credentials instead. */
  session: string | undefined
  /**
   * Whether this is the password of the account, with the one-time code or recovery code if the account needs one.
   * Checked before changes for which a session alone is not enough.
   * @throws Problem 429, 503
   */
  proves: (password: string, code: string) => Promise<boolean>
}

const rule = signedInFully('user')

/** People with all rights over their own account; others are sent to the sign-in page. */
export const person: Access<Person, PageTools> = orSignIn<Person>({
  ...rule,
  admit: async (context: RequestContext<PageTools>) => {
    const caller = await rule.admit(context)
    const secret = caller.via === 'session' ? secretIn(context.headers, context.from.host) : undefined
    return {
      ...caller,
      session: secret && hashToken(secret),
      proves: (password, code) => proves(context, caller, password, code),
    }
  },
})

/** Checked and throttled like every sign-in. */
async function proves(
  context: RequestContext<PageTools>,
  { me }: SignedIn,
  password: string,
  code: string,
): Promise<boolean> {
  const pair = Buffer.from(`${me.name}:${password}`).toString('base64')
  const headers = withCredentials(context.headers, `Basic ${pair}`, code)
  try {
    const proven = await context.tools.authenticator.authenticate({ ...context, headers, query: {} })
    // A token takes the place of a password elsewhere, and proves nothing here.
    return proven.me?.id === me.id && proven.token === undefined
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return false
    throw error
  }
}
