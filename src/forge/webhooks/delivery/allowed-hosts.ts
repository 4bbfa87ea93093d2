import { BlockList, isIP } from 'node:net'
import { compileGlob, type Matcher } from '../../../common/glob.ts'
import { done, failed, type Outcome } from '../../../common/outcome.ts'

/** Which hosts outgoing requests may reach. An address is checked together with the name that resolved to it. */
export interface AllowedHosts {
  /** Whether a connection to an address (IPv4 or IPv6 text) is allowed when the request names it as `host`. */
  admits(address: string, host: string): boolean
}

/** Metadata services of cloud providers, which hand out credentials. `external` and `private` never include them. */
const metadata = ['169.254.169.254/32', '100.100.100.200/32', '168.63.129.16/32', 'fd00:ec2::254/128']

/**
 * Everything that is not a public unicast address: IANA's special-purpose registries (RFC 6890), multicast (RFC 5771),
 * and tunnels that embed an IPv4 address in an IPv6 one. Of IPv6, only 2000::/3 is allocated for global unicast.
 */
const notPublic = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/3',
  '4000::/2',
  '8000::/1',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
]

const keywords: ReadonlyMap<string, { in: readonly string[]; notIn: readonly string[] }> = new Map([
  ['external', { in: ['0.0.0.0/0', '::/0'], notIn: [...notPublic, ...metadata] }],
  ['private', { in: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'], notIn: metadata }],
  ['loopback', { in: ['127.0.0.0/8', '::1/128'], notIn: [] }],
  ['*', { in: ['0.0.0.0/0', '::/0'], notIn: [] }],
])

/** Whether one entry of the list allows an address. */
type Rule = (address: string, host: string) => boolean

/**
 * Parses a list such as `external, *.intern.example, 10.1.0.0/16`: the words `external` (public addresses only),
 * `private` (RFC 1918 and RFC 4193), `loopback` and `*` (everything), networks, addresses, and names with `*` and `?`.
 * A listed name may resolve to any address: the operator who lists it is responsible for it. The fault names the entry
 * that cannot be parsed.
 */
export function parseAllowedHosts(list: string): Outcome<AllowedHosts, string> {
  const rules: Rule[] = []
  for (const entry of list.split(',').map((each) => each.trim().toLowerCase())) {
    const rule = ruleOf(entry)
    if (!rule) return failed(`does not understand "${entry}"`)
    rules.push(rule)
  }
  return done({
    admits: (address, host) => {
      const plain = canonical(address)
      return plain !== undefined && rules.some((rule) => rule(plain, nameOf(host)))
    },
  })
}

function ruleOf(entry: string): Rule | undefined {
  const keyword = keywords.get(entry)
  if (keyword) {
    const [included, excluded] = [networks(keyword.in), networks(keyword.notIn)]
    return (address) => contains(included, address) && !contains(excluded, address)
  }
  if (isIP(entry) || entry.includes('/')) {
    const network = isNetwork(entry) ? networks([entry]) : undefined
    return network && ((address) => contains(network, address))
  }
  return nameRule(entry)
}

/** Characters of a name pattern; globs also allow braces and character classes, which host names do not need. */
const namePattern = /^[a-z0-9*?_.-]+$/

function nameRule(entry: string): Rule | undefined {
  const matches: Matcher | undefined = namePattern.test(entry) ? compileGlob(nameOf(entry)) : undefined
  // A name rule never matches a bare address: `1*` is not a network.
  return matches && ((_, host) => isIP(host) === 0 && matches(host))
}

/** The form in which names are compared: no brackets around IPv6, no trailing dot, lower case. */
const nameOf = (host: string) =>
  host
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase()

function isNetwork(entry: string): boolean {
  const [address = '', bits = isIP(entry) === 4 ? '32' : '128', ...rest] = entry.split('/')
  const maxBits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  return rest.length === 0 && !address.includes('%') && /^\d{1,3}$/.test(bits) && Number(bits) <= maxBits
}

/**
 * One list per family, because a single BlockList checks an IPv4 address against IPv6 networks, too, as a mapped one.
 */
interface Networks {
  4: BlockList
  6: BlockList
}

function networks(list: readonly string[]): Networks {
  const lists: Networks = { 4: new BlockList(), 6: new BlockList() }
  for (const entry of list) {
    const [address = '', bits] = entry.split('/')
    if (isIP(address) === 6) lists[6].addSubnet(address, Number(bits ?? 128), 'ipv6')
    else lists[4].addSubnet(address, Number(bits ?? 32), 'ipv4')
  }
  return lists
}

function contains(networks: Networks, address: string): boolean {
  return isIP(address) === 6 ? networks[6].check(address, 'ipv6') : networks[4].check(address, 'ipv4')
}

/**
 * Normal form of an address: an IPv4 address embedded in an IPv6 one (`::ffff:127.0.0.1`) is checked as IPv4. Undefined
 * if the text is not an address, or has a zone (`fe80::1%eth0`), which is valid on one link only.
 */
function canonical(address: string): string | undefined {
  if (isIP(address) === 0 || address.includes('%')) return undefined
  if (isIP(address) === 4) return address
  // URL normalizes an IPv6 address, with the last 32 bits in hexadecimal.
  const normalized = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(normalized) ?? []
  if (high === undefined || low === undefined) return normalized
  const bytes = [high, low].flatMap((part) => [
    Number.parseInt(part, 16) >> 8,
    Number.parseInt(part, 16) & 255,
  ])
  return bytes.join('.')
}
