import type { Account } from '../../forge/accounts/account-store.ts'
import { SIGN_IN_REFUSALS } from '../../forge/auth/access.ts'
import type { Caller } from '../../forge/auth/caller.ts'
import { permits, type Scopes } from '../../forge/auth/scopes.ts'
import type { Access } from '../../http/route/route.ts'
import { headerOf } from '../../http/server/header.ts'
import type { PageTools } from '../route.ts'
import { hasSession, mayManage, signedInBy } from './session.ts'

/** Who looks at a page, as the head of the page shows them. */
export interface Viewer extends Pick<Account, 'kind' | 'name' | 'email' | 'avatar'> {
  /** Whether they may manage the site. */
  isManager: boolean
  /** Whether the administration is for them. */
  isAdministrator: boolean
  /** How many notifications they have not read, up to 100; undefined: they may not read notifications. */
  unread: number | undefined
}

/** Who asks for a page; all members are undefined if nobody is signed in. */
export type Visitor = Pick<Caller, 'me' | 'token' | 'unread'>

/** The viewer of a page; undefined: nobody is signed in. */
export const viewerOf = ({ me, token, unread }: Visitor): Viewer | undefined =>
  me && {
    kind: me.kind,
    name: me.name,
    email: me.email,
    avatar: me.avatar,
    isManager: mayManage(me, token?.scopes),
    isAdministrator: me.is_admin && (!token || permits(token.scopes, ['admin'], 'read')),
    unread: token && !readsNotifications(token.scopes) ? undefined : unread,
  }

const readsNotifications = (scopes: Scopes) => permits(scopes, ['notification'], 'read') && !scopes.publicOnly

/** Pages of the site are for everyone; only their head tells who is signed in. */
export const visitor: Access<Visitor & Pick<Caller, 'seen'>, PageTools> = {
  name: 'visitor',
  refusals: SIGN_IN_REFUSALS,
  admit: async (context) =>
    (await signedInBy(context)) ?? { me: undefined, token: undefined, unread: 0, seen: undefined },
  isAnonymous: (req) => !hasSession(headerOf(req, 'cookie')),
  observedVersion: ({ seen }) => seen,
  key: (caller) => JSON.stringify(viewerOf(caller)) ?? '',
}
