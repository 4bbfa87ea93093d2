import { isIPv6 } from 'node:net'

/** Converts an IPv4 address mapped into IPv6 (`::ffff:127.0.0.1`, RFC 4291, section 2.5.5.2) to plain IPv4. */
export function bareAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}

/**
 * The unit that a limit per address counts as one client: an IPv4 address itself, and the /64 network of an IPv6
 * address, because a subscriber usually has all 2⁶⁴ addresses of a /64. Any other text is returned as it is. Expects an
 * address as `Origin` returns it, with IPv4-mapped IPv6 addresses already converted.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [bare = ''] = address.split('%')
  const [before, after] = bare.split('::').map(groupsOf)
  const left = before ?? []
  const right = after ?? []
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => 0)
  const groups = [...left, ...zeros, ...right].slice(0, 4)
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`
}

/** Groups of 16 bits; an IPv4 address at the end stands for two, which are never part of the network. */
function groupsOf(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => (group.includes('.') ? [0, 0] : [Number.parseInt(group, 16)]))
}
