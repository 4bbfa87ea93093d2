import { BlockList, isIP } from 'node:net'
import { compileGlob, type Matcher } from '../../../glob.ts'

/** Which machines outgoing calls may reach. An address and the name it was found under are judged together. */
export interface AllowedHosts {
  /** Whether an address (IPv4 or IPv6 text) may be connected to when it was asked for as `host`. */
  admits(address: string, host: string): boolean
}

/** `external` and `private` never hold these: what cloud machines ask for their own credentials. */
const metadata = ['169.254.169.254/32', '100.100.100.200/32', '168.63.129.16/32', 'fd00:ec2::254/128']

/**
 * What is no public unicast address: the special-purpose registries of IANA (RFC 6890), multicast (RFC 5771), and the
 * tunnels that carry an IPv4 address inside an IPv6 one. Of IPv6 only 2000::/3 is handed out at all.
 */
const notExternal = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ...['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
]

const words: ReadonlyMap<string, { in: readonly string[]; notIn: readonly string[] }> = new Map([
  ['external', { in: ['0.0.0.0/0', '::/0'], notIn: [...notExternal, ...metadata] }],
  ['private', { in: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'], notIn: metadata }],
  ['loopback', { in: ['127.0.0.0/8', '::1/128'], notIn: [] }],
  ['*', { in: ['0.0.0.0/0', '::/0'], notIn: [] }],
])

/** One entry of the list: a rule, or undefined when it cannot be read. */
type Rule = (address: string, host: string) => boolean

/**
 * Reads a list such as `external, *.intern.example, 10.1.0.0/16`: the words `external` (public addresses only),
 * `private` (RFC 1918 and RFC 4193), `loopback` and `*` (everything), networks, addresses, and names with `*` and `?`.
 * A name that is listed may lead to any address: whoever lists it answers for it.
 * The fault names the entry that cannot be read.
 */
export function parseAllowedHosts(list: string): { value: AllowedHosts } | { fault: string } {
  const rules: Rule[] = []
  for (const entry of list.split(',').map((each) => each.trim().toLowerCase())) {
    const rule = ruleOf(entry)
    if (!rule) return { fault: `does not understand "${entry}"` }
    rules.push(rule)
  }
  return {
    value: {
      admits: (address, host) => {
        const plain = canonical(address)
        return plain !== undefined && rules.some((rule) => rule(plain, nameOf(host)))
      },
    },
  }
}

function ruleOf(entry: string): Rule | undefined {
  const word = words.get(entry)
  if (word) {
    const [within, without] = [networks(word.in), networks(word.notIn)]
    return (address) => holds(within, address) && !holds(without, address)
  }
  if (isIP(entry) || entry.includes('/')) {
    const network = isNetwork(entry) ? networks([entry]) : undefined
    return network && ((address) => holds(network, address))
  }
  return nameRule(entry)
}

/** What a name can be made of; braces and classes would be legal globs, but nobody means them. */
const namePattern = /^[a-z0-9*?_.-]+$/

function nameRule(entry: string): Rule | undefined {
  const matches: Matcher | undefined = namePattern.test(entry) ? compileGlob(nameOf(entry)) : undefined
  // A name rule never speaks for a bare address: `1*` is no network.
  return matches && ((_, host) => isIP(host) === 0 && matches(host))
}

/** As it is compared: without brackets of IPv6, without the dot of the root, in lower case. */
const nameOf = (host: string) =>
  host
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase()

function isNetwork(entry: string): boolean {
  const [address = '', bits = isIP(entry) === 4 ? '32' : '128', ...rest] = entry.split('/')
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  return rest.length === 0 && !address.includes('%') && /^\d{1,3}$/.test(bits) && Number(bits) <= most
}

/** Apart, because a BlockList holds an IPv4 address against IPv6 networks too, as if it were a mapped one. */
interface Networks {
  4: BlockList
  6: BlockList
}

function networks(list: readonly string[]): Networks {
  const found: Networks = { 4: new BlockList(), 6: new BlockList() }
  for (const entry of list) {
    const [address = '', bits] = entry.split('/')
    if (isIP(address) === 6) found[6].addSubnet(address, Number(bits ?? 128), 'ipv6')
    else found[4].addSubnet(address, Number(bits ?? 32), 'ipv4')
  }
  return found
}

function holds(networks: Networks, address: string): boolean {
  return isIP(address) === 6 ? networks[6].check(address, 'ipv6') : networks[4].check(address, 'ipv4')
}

/**
 * The address that is really meant: an IPv4 address inside an IPv6 one (`::ffff:127.0.0.1`) is judged as IPv4. Undefined
 * for what is no address, and for one with a zone (`fe80::1%eth0`), which exists on one link only.
 */
function canonical(address: string): string | undefined {
  if (isIP(address) === 0 || address.includes('%')) return undefined
  if (isIP(address) === 4) return address
  // URL writes every spelling of an IPv6 address in one way, with the last 32 bits in hexadecimal.
  const written = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(written) ?? []
  if (high === undefined || low === undefined) return written
  const bytes = [high, low].flatMap((part) => [
    Number.parseInt(part, 16) >> 8,
    Number.parseInt(part, 16) & 255,
  ])
  return bytes.join('.')
}
