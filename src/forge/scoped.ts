import type { Handler, Returns, Sending } from '../http/route/results.ts'
import type { Access, Declaration, HandlerContext, Literal, NoBody, None } from '../http/route/route.ts'
import type { Method } from '../http/route/router.ts'
import type { Entries, Schema } from '../http/route/validate.ts'
import type { SignedIn } from './auth/access.ts'
import type { Category } from './auth/scopes.ts'
import { type ForgeRoute, type ForgeTools, route } from './route.ts'

/** Resources that exist at several scopes, such as webhooks: their operations are declared once for all of them. */

/** How a scope appears in the declarations of its operations. */
interface ScopeWords {
  /** In names of operations: `orgListHooks`, `getOrgRunners`. */
  name: string
  Name: string
  /** In summaries. */
  whose: string
  /** The category of token scopes. */
  category: Category
}

export const ofSite = { name: 'admin', Name: 'Admin', category: 'admin' } as const
export const ofOrganization = {
  name: 'org',
  Name: 'Org',
  whose: 'of an organization',
  category: 'organization',
} as const
export const ofRepository = {
  name: 'repo',
  Name: 'Repo',
  whose: 'of a repository',
  category: 'repository',
} as const
export const ofUser = {
  name: 'user',
  Name: 'User',
  whose: 'of the user who asks',
  category: 'user',
} as const

/** Who may use the resources of a scope, and whose they then are. */
interface ScopeAccess<Caller extends SignedIn, Owner> {
  access: Access<Caller, ForgeTools>
  ownerOf: (caller: Caller) => Owner
}

/** Returns a `route()` that is given the rest of the path and no access rule, and whose handler is given the owner. */
function routeIn<Caller extends SignedIn, Owner>(
  prefix: `/${string}`,
  { access, ownerOf }: ScopeAccess<Caller, Owner>,
) {
  return <
    const L extends Literal,
    const R extends Returns,
    P extends Entries = None,
    Q extends Entries = None,
    B extends Schema = NoBody,
    Send extends Sending = 'value',
  >(
    literal: L,
    {
      handler,
      ...declared
    }: Omit<Declaration<SignedIn, ForgeTools, P, Q, B, R, Send>, 'access'> & {
      handler: Handler<HandlerContext<ForgeTools, SignedIn, L, P, Q, B>, R, Send, [owner: Owner]>
    },
  ): ForgeRoute => {
    const [method, path] = literal.split(' ') as [Method, string]
    // For the types it is the rest of the path: handlers do not use the parameters of its beginning.
    return route(`${method} ${prefix}${path}` as L, {
      ...declared,
      access,
      handler: (context) => handler(context, ownerOf(context.caller)),
    })
  }
}

export type ScopedRoute<Owner> = ReturnType<typeof routeIn<SignedIn, Owner>>

/** A scope at which resources exist; `Owner` is what handlers are given to tell whose they are. */
export interface Scope<Owner> extends ScopeWords {
  /** The `route()` of the paths that begin with `prefix`. */
  routeIn: (prefix: `/${string}`) => ScopedRoute<Owner>
}

export function scope<Caller extends SignedIn, Owner>({
  access,
  ownerOf,
  ...words
}: ScopeWords & ScopeAccess<Caller, Owner>): Scope<Owner> {
  return { ...words, routeIn: (prefix) => routeIn(prefix, { access, ownerOf }) }
}

/** Declares the operations of a resource at each of these scopes, by the beginning of the path. */
export function scoped<Owner>(
  scopes: readonly (readonly [prefix: `/${string}`, scope: Scope<Owner>])[],
  declare: (route: ScopedRoute<Owner>, scope: Scope<Owner>) => ForgeRoute[],
): ForgeRoute[] {
  return scopes.flatMap(([prefix, scope]) => declare(scope.routeIn(prefix), scope))
}
