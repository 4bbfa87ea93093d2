import type { Handler, Returns, Sending } from '../http/route/results.ts'
import type { Access, Declaration, HandlerContext, Literal, NoBody, None } from '../http/route/route.ts'
import type { Method } from '../http/route/router.ts'
import type { Entries, Schema } from '../http/route/validate.ts'
import type { SignedIn } from './auth/access.ts'
import type { Caller } from './auth/caller.ts'
import type { Category } from './auth/scopes.ts'
import { type ForgeRoute, type ForgeTools, route } from './route.ts'

/** Resources that exist at several scopes, such as webhooks: their operations are declared once for all of them. */

/** How a scope appears in the declarations of its operations. */
interface ScopeWords {
  /** How its paths begin. */
  prefix: `/${string}`
  /** In names of operations: `orgListHooks`, `getOrgRunners`. */
  name: string
  Name: string
  /** In summaries. */
  whose: string
  /** The category of token scopes. */
  category: Category
}

export const ofSite = { prefix: '/admin', name: 'admin', Name: 'Admin', category: 'admin' } as const
export const ofOrganization = {
  prefix: '/orgs/{org}',
  name: 'org',
  Name: 'Org',
  whose: 'of an organization',
  category: 'organization',
} as const
export const ofRepository = {
  prefix: '/repos/{owner}/{repo}',
  name: 'repo',
  Name: 'Repo',
  whose: 'of a repository',
  category: 'repository',
} as const
export const ofUser = {
  prefix: '/user',
  name: 'user',
  Name: 'User',
  whose: 'of the user who asks',
  category: 'user',
} as const

/** Who may use the resources of a scope, and whose they then are. */
interface ScopeAccess<Who extends Caller, Owner> {
  access: Access<Who, ForgeTools>
  ownerOf: (caller: Who) => Owner
}

/** Returns a `route()` that is given the rest of the path and no access rule, and whose handler is given the owner. */
function routeIn<Who extends Caller, Owner>(
  prefix: ScopeWords['prefix'],
  { access, ownerOf }: ScopeAccess<Who, Owner>,
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
    }: Omit<Declaration<Who, ForgeTools, P, Q, B, R, Send>, 'access'> & {
      handler: Handler<HandlerContext<ForgeTools, Who, L, P, Q, B>, R, Send, [owner: Owner]>
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

export type ScopedRoute<Owner, Who extends Caller = SignedIn> = ReturnType<typeof routeIn<Who, Owner>>

/** A scope at which resources exist; `Owner` is what handlers are given to tell whose they are. */
export interface Scope<Owner, Who extends Caller = SignedIn> extends ScopeWords {
  /** The `route()` of its paths. */
  route: ScopedRoute<Owner, Who>
}

export function scope<Who extends Caller, Owner>({
  access,
  ownerOf,
  ...words
}: ScopeWords & ScopeAccess<Who, Owner>): Scope<Owner, Who> {
  return { ...words, route: routeIn(words.prefix, { access, ownerOf }) }
}

/** Declares the operations of a resource at each of these scopes. */
export function scoped<Owner, Who extends Caller = SignedIn>(
  scopes: readonly Scope<Owner, Who>[],
  declare: (route: ScopedRoute<Owner, Who>, scope: Scope<Owner, Who>) => ForgeRoute[],
): ForgeRoute[] {
  return scopes.flatMap((scope) => declare(scope.route, scope))
}
