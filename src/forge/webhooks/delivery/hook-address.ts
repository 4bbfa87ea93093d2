/** Replaces secret values in replies and the history. */
export const MASK = '******'

/**
 * An address as replies and the history show it. Of credentials it shows only that there are any
 * (`https://******@host/`), since for many services the user name alone is a token. Empty if it is not a URL.
 */
export function shownAddress(address: string): string {
  if (!URL.canParse(address)) return ''
  const url = new URL(address)
  if (!hasCredentials(url)) return address
  url.username = MASK
  url.password = ''
  return url.href
}

/**
 * Replaces the mask in an address that a client sends back by the credentials of the address `before`. Undefined if
 * `before` has none, or if scheme, host or port differ: a client that does not know the credentials must not be able to
 * send them elsewhere.
 */
export function unmaskAddress(address: string, before: string | undefined): string | undefined {
  const url = new URL(address)
  if (url.username !== MASK) return address
  const old = before ? new URL(before) : undefined
  if (!old || !hasCredentials(old) || url.password !== '' || url.origin !== old.origin) return undefined
  url.username = old.username
  url.password = old.password
  return url.href
}

const hasCredentials = ({ username, password }: URL) => username !== '' || password !== ''
