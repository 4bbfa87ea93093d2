import { accept, type Outcome, refuse } from '../protocol/outcome.ts'

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

/** What a token may do. `granted` holds two bits per category: reading, and writing (never without reading). */
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

/** Everything: `all`. */
export const EVERY_SCOPE: Scopes = { granted: EVERYTHING, publicOnly: false }

/** The sentences for tokens limited to public things, where a route has something else to show. */
export const PUBLIC_ONLY_REFUSALS = {
  endpoint: 'this endpoint is not available for public-only tokens',
  organization: 'token scope is limited to public orgs',
  repository: 'token scope is limited to public repos',
  user: 'token scope is limited to public users',
} as const

/** The sentence for a request that would create a token of no use. */
export const NO_SCOPES = 'access token must have a scope'

/**
 * Reads scope names as a client sends them: one by one, or several in a text with commas; empty ones are skipped.
 * The fault is the caller's sentence; whether no scope at all is one too, {@link isEmpty} tells.
 */
export function parseScopes(names: readonly string[]): Outcome<Scopes, string> {
  let granted = 0
  let publicOnly = false
  for (const name of names.flatMap((text) => text.split(','))) {
    const found = BITS.get(name)
    if (found !== undefined) granted |= found
    else if (name === PUBLIC_ONLY) publicOnly = true
    else if (name !== '') return refuse(`invalid access token scope provided: ${name}`)
  }
  return accept({ granted, publicOnly })
}

/** The normal form as a list: what the API returns. Duplicates and implied reads are gone, nine writes are `all`. */
export function scopeNames(scopes: Scopes): readonly string[] {
  const names = scopes.granted === EVERYTHING ? [ALL] : CATEGORIES.flatMap((each) => nameOf(scopes, each))
  return scopes.publicOnly ? [PUBLIC_ONLY, ...names] : names
}

/** The normal form as one text: what is stored, and what refusals print. */
export function formatScopes(scopes: Scopes): string {
  return scopeNames(scopes).join(',')
}

/** Whether nothing at all is said, not even `public-only`: such a token is refused at creation. */
export function isEmpty(scopes: Scopes): boolean {
  return scopes.granted === 0 && !scopes.publicOnly
}

/** What a method needs: HEAD and OPTIONS read like GET, everything else writes. */
export function levelOf(method: string): Level {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? 'read' : 'write'
}

/** Whether the scopes reach all of a route's categories at that level. A route without categories is always reached. */
export function permits(scopes: Scopes, categories: readonly Category[], level: Level): boolean {
  return categories.every((category) => contains(scopes.granted, bits(category, level)))
}

/** The 403 sentence for scopes that do not reach. It says "at least one" although all are needed: clients know it so. */
export function scopeRefusal(scopes: Scopes, categories: readonly Category[], level: Level): string {
  const required = categories.map((category) => `${level}:${category}`).join(' ')
  const has = formatScopes(scopes)
  return `token does not have at least one of required scope(s), required=[${required}], token scope=${has}`
}

/**
 * What a token may pass on to a new token: nothing that it has not itself, and its limit to public things is handed
 * down unasked. The fault is the caller's sentence (403).
 */
export function passOn(own: Scopes, wanted: Scopes): Outcome<Scopes, string> {
  if (!contains(own.granted, wanted.granted)) {
    return refuse('cannot create an access token with a broader scope than the authenticating token')
  }
  return accept({ granted: wanted.granted, publicOnly: own.publicOnly || wanted.publicOnly })
}

/** Writing implies reading: its bit pattern holds both. */
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
