import { done, failed, type Outcome } from '../../common/outcome.ts'

/** The categories of operations, in the order of the normal form. No route needs `misc`. */
export const CATEGORIES = [
  'activitypub',
  'admin',
  'misc',
  'notification',
  'organization',
  'package',
  'issue',
  'repository',
  'user',
] as const

export type Category = (typeof CATEGORIES)[number]
export type Level = 'read' | 'write'

/** The permissions of a token. `granted` has two bits per category: read, and write (never without read). */
export interface Scopes {
  readonly granted: number
  readonly publicOnly: boolean
}

const PUBLIC_ONLY = 'public-only'
const ALL = 'all'
const EVERYTHING = 4 ** CATEGORIES.length - 1
const BITS: ReadonlyMap<string, number> = new Map([
  [ALL, EVERYTHING],
  ...CATEGORIES.flatMap((category): [string, number][] => [
    [`read:${category}`, bits(category, 'read')],
    [`write:${category}`, bits(category, 'write')],
  ]),
])

/** All permissions: `all`. */
export const EVERY_SCOPE: Scopes = { granted: EVERYTHING, publicOnly: false }

/** The messages for tokens limited to public resources, on routes whose message differs. */
export const PUBLIC_ONLY_REFUSALS = {
  endpoint: 'this endpoint is not available for public-only tokens',
  organization: 'token scope is limited to public orgs',
  repository: 'token scope is limited to public repos',
  user: 'token scope is limited to public users',
} as const

/** The message for a request that would create a token without permissions. */
export const NO_SCOPES = 'access token must have a scope'

/**
 * Parses scope names as clients send them: one by one, or several in a comma-separated text; empty names are skipped.
 * The fault is a message for the caller. An empty list is accepted here; check {@link isEmpty}.
 */
export function parseScopes(names: readonly string[]): Outcome<Scopes, string> {
  let granted = 0
  let publicOnly = false
  for (const name of names.flatMap((text) => text.split(','))) {
    const bits = BITS.get(name)
    if (bits !== undefined) granted |= bits
    else if (name === PUBLIC_ONLY) publicOnly = true
    else if (name !== '') return failed(`invalid access token scope provided: ${name}`)
  }
  return done({ granted, publicOnly })
}

/**
 * Stored scopes, which are in normal form. If a newer version stored a scope that this one does not know, they grant
 * nothing.
 */
export function storedScopes(text: string): Scopes {
  const parsed = parseScopes([text])
  return parsed.ok ? parsed.value : { granted: 0, publicOnly: true }
}

/**
 * The normal form as a list, as the API returns it: no duplicates or implied reads; write permission for all nine
 * categories is `all`.
 */
export function scopeNames(scopes: Scopes): readonly string[] {
  const names = scopes.granted === EVERYTHING ? [ALL] : CATEGORIES.flatMap((each) => nameOf(scopes, each))
  return scopes.publicOnly ? [PUBLIC_ONLY, ...names] : names
}

/** The normal form as one text, as it is stored and printed in refusals. */
export function formatScopes(scopes: Scopes): string {
  return scopeNames(scopes).join(',')
}

/** Whether there is no scope at all, not even `public-only`: no token may be created so. */
export function isEmpty(scopes: Scopes): boolean {
  return scopes.granted === 0 && !scopes.publicOnly
}

/** The permission that a method needs: GET, HEAD and OPTIONS read, all others write. */
export function levelOf(method: string): Level {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? 'read' : 'write'
}

/** Whether the scopes cover all categories of a route at that level. A route without categories is always covered. */
export function permits(scopes: Scopes, categories: readonly Category[], level: Level): boolean {
  return categories.every((category) => contains(scopes.granted, bits(category, level)))
}

/** The 403 message for insufficient scopes. It says "at least one" although all are needed: clients know this text. */
export function scopeRefusal(scopes: Scopes, categories: readonly Category[], level: Level): string {
  const required = categories.map((category) => `${level}:${category}`).join(' ')
  const has = formatScopes(scopes)
  return `token does not have at least one of required scope(s), required=[${required}], token scope=${has}`
}

/**
 * Limits the scopes of a new token to those of the token that creates it. The new token inherits the limit to public
 * resources. The fault is a message for the caller (403).
 */
export function passOn(creator: Scopes, requested: Scopes): Outcome<Scopes, string> {
  if (!contains(creator.granted, requested.granted)) {
    return failed('cannot create an access token with a broader scope than the authenticating token')
  }
  return done({ granted: requested.granted, publicOnly: creator.publicOnly || requested.publicOnly })
}

/** Writing implies reading, so its bit pattern has both bits. */
function bits(category: Category, level: Level): number {
  return (level === 'read' ? 1 : 3) << (2 * CATEGORIES.indexOf(category))
}

function contains(granted: number, needed: number): boolean {
  return (granted & needed) === needed
}

function nameOf(scopes: Scopes, category: Category): string[] {
  for (const level of ['write', 'read'] as const) {
    if (contains(scopes.granted, bits(category, level))) return [`${level}:${category}`]
  }
  return []
}
