import { BlockList, isIP } from 'node:net'
import { memoize } from '../../common/memoize.ts'

/** The proxies whose forwarding headers are trusted. */
export interface Proxies {
  trusts: (address: string) => boolean
}

const namedNetworks: ReadonlyMap<string, readonly string[]> = new Map([
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fe80::/10']],
])

/**
 * Parses `none`, or a comma-separated list of trusted proxies: addresses, networks (`10.1.0.0/16`), and the words
 * `loopback` and `private`; undefined if an entry is none of these.
 */
export function parseProxies(text: string): Proxies | undefined {
  const list = new BlockList()
  const words = text.trim().toLowerCase()
  const entries = words === 'none' ? [] : words.split(',').map((each) => each.trim())
  const readable = entries.every((each) =>
    (namedNetworks.get(each) ?? [each]).every((network) => add(list, network)),
  )
  // Each look-up in a BlockList makes an object that node has to clean up.
  return readable ? { trusts: memoize(1000, (address) => check(list, address)) } : undefined
}

function add(list: BlockList, network: string): boolean {
  const [address = '', length, ...more] = network.split('/')
  const version = isIP(address)
  const maxBits = version === 4 ? 32 : 128
  const bits = length === undefined ? maxBits : Number(length)
  if (
    version === 0 ||
    more.length > 0 ||
    length === '' ||
    !Number.isInteger(bits) ||
    bits < 0 ||
    bits > maxBits
  )
    return false
  list.addSubnet(address, bits, version === 4 ? 'ipv4' : 'ipv6')
  return true
}

function check(list: BlockList, address: string): boolean {
  const version = isIP(address)
  return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6')
}
