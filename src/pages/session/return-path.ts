import type { IncomingHttpHeaders } from 'node:http'

/** A slash and visible ASCII without `\`, which browsers read as `/`; a second slash would begin the name of a host. */
const path = /^\/(?!\/)[!-[\]-~]{0,2000}$/

/** The sign-in page leads nobody back to itself. */
const signIn = /^\/login(?![^/?#])/

/**
 * Where a sign-in leads back to: a path below the root of links (`host`), with its query. Undefined for anything else,
 * such as the address of another site (RFC 9700, section 4.11): anybody can write a link.
 */
export function returnPath(value: unknown, host: string): string | undefined {
  if (typeof value !== 'string' || !path.test(value) || signIn.test(value)) return undefined
  return new URL(addressOf(value, host)).href.startsWith(host) ? value : undefined
}

/** The path of the page whose link was followed (RFC 9110, section 10.1.3); undefined if it is not ours. */
export function referringPath({ referer = '' }: IncomingHttpHeaders, host: string): string | undefined {
  return referer.startsWith(host) ? returnPath(`/${referer.slice(host.length)}`, host) : undefined
}

/** The address of a path that `returnPath` has accepted. */
export const addressOf = (accepted: string, host: string): string => host + accepted.slice(1)
