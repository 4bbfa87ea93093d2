import { isIPv6 } from 'node:net'

/**
 * What counts as one client where a limit applies to each address: an IPv4 address itself, and the /64 network of an
 * IPv6 address, because a subscriber usually has all 2⁶⁴ addresses of one. Any other text is returned as it is.
 * Expects an address as `Origin` gives it: IPv4 addresses in IPv6 notation are unwrapped already.
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
