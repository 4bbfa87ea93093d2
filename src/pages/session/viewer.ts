import type { Account } from '../../forge/accounts/account.ts'
import { SIGN_IN_REFUSALS } from '../../forge/auth/access.ts'
import type { Caller } from '../../forge/auth/caller.ts'
import { permits } from '../../forge/auth/scopes.ts'
import type { Access } from '../../http/route/route.ts'
import { headerOf } from '../../http/server/header.ts'
import type { PageTools } from '../route.ts'
import { hasSession, mayManage, signedInBy } from './session.ts'

/** Who looks at a page, as the head of the page shows them. */
export interface Viewer extends Pick<Account, 'name' | 'email' | 'kind'> {
  /** Whether they may manage the site. */
  isManager: boolean
  /** Whether the administration is for them. */
  isAdministrator: boolean
}

/** The viewer of a page that a caller of the forge asks for; undefined: anonymous. */
export const viewerOf = ({ me, token }: Pick<Caller, 'me' | 'token'>): Viewer | undefined =>
  me && {
    name: me.name,
    email: me.email,
    kind: me.kind,
    isManager: mayManage(me, token?.scopes),
    isAdministrator: me.is_admin && (!token || permits(token.scopes, ['admin'], 'read')),
  }

/** Who is signed in in the browser; all members are undefined if nobody is. */
type Visitor = Pick<Caller, 'me' | 'token' | 'seen'>

/** Pages of the site are for everyone; only their head tells who is signed in. */
export const visitor: Access<Visitor, PageTools> = {
  name: 'visitor',
  refusals: SIGN_IN_REFUSALS,
  admit: async (context) =>
    (await signedInBy(context)) ?? { me: undefined, token: undefined, seen: undefined },
  isAnonymous: (req) => !hasSession(headerOf(req, 'cookie')),
  observedVersion: ({ seen }) => seen,
  key: (caller) => JSON.stringify(viewerOf(caller)) ?? '',
}
