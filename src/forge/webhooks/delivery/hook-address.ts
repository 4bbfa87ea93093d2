/** What stands where something secret is not shown. */
export const MASK = '******'

/**
 * An address as answers and the history show it: of a user or password in it only that there is one
 * (`https://******@host/`), since with many services the user alone is a token; of what is no address nothing.
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
 * The address that was meant by one that a client may have been shown: the mask stands for the user and password of
 * the address `before`. Undefined where it stands for none. Whoever does not know them may not send them elsewhere,
 * so they stay with scheme, host and port.
 */
export function meantAddress(given: string, before: string | undefined): string | undefined {
  const url = new URL(given)
  if (url.username !== MASK) return given
  const known = before ? new URL(before) : undefined
  if (!known || !hasCredentials(known) || url.password !== '' || url.origin !== known.origin) return undefined
  url.username = known.username
  url.password = known.password
  return url.href
}

const hasCredentials = ({ username, password }: URL) => username !== '' || password !== ''
