import { domainToASCII, domainToUnicode } from 'node:url'
import { done, failed, type Outcome } from '../../common/outcome.ts'
import type { Rule } from '../protocol/rules.ts'

/** An address as its owner spells it, and its unique key: lower case, with the domain in ASCII. */
export interface EmailAddress {
  readonly address: string
  readonly key: string
}

/** Why an address is invalid; the messages differ only for invalid characters. */
interface AddressFault {
  readonly reason: 'empty' | 'characters' | 'syntax'
  readonly address: string
}

/** The maximum length of an address in characters (RFC 5321 §4.5.3.1.3, without the angle brackets). */
export const EMAIL_MAX = 254
const LOCAL_MAX = 64

/** `atext` and dots (RFC 5322 §3.2.3). Quoted local parts are valid, but no real address has one. */
const LOCAL = /^[\w.!#$%&'*+/=?^`{|}~-]*$/
/**
 * Letters, digits, dots and dashes (RFC 1123 §2.1), or anything beyond ASCII, which is checked after the conversion to
 * ASCII.
 */
const DOMAIN = /^[A-Za-z0-9.\u0080-\u{10ffff}-]*$/u
const LABELS =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]*[a-z])[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** The rule for addresses in request bodies. */
export const email: Rule = { word: 'Email', holds: (text) => parseAddress(text).ok }

/**
 * Parses an address: ASCII before the `@`, and a domain with at least one dot after it, Unicode or punycode. Nothing is
 * trimmed; control characters, in particular line breaks, are never valid.
 */
export function parseAddress(address: string): Outcome<EmailAddress, AddressFault> {
  if (address === '') return failed({ reason: 'empty', address })
  const at = address.indexOf('@')
  const local = at < 0 ? address : address.slice(0, at)
  const domain = at < 0 ? '' : address.slice(at + 1)
  if (!LOCAL.test(local) || !DOMAIN.test(domain)) return failed({ reason: 'characters', address })
  const ascii = isLocal(local) && address.length <= EMAIL_MAX ? asciiDomain(domain) : undefined
  if (ascii === undefined) return failed({ reason: 'syntax', address })
  return done({ address, key: `${local.toLowerCase()}@${ascii}` })
}

/** The message for an invalid address of a user. */
export function invalidAddressMessage({ address }: AddressFault): string {
  return `email address is invalid: ${address}`
}

/** The message (422) for an invalid address of an organization. */
export function invalidOrganizationAddressMessage({ reason, address }: AddressFault): string {
  return reason === 'characters'
    ? `e-mail address contains unsupported character [email: ${address}]`
    : `e-mail invalid [email: ${address}]`
}

/** The message (409) for an address that an account has already, as its primary or another one. */
export function addressTakenMessage(address: string): string {
  return `e-mail already in use [email: ${address}]`
}

/** The address that others see if the user hides the real one; `host` is the root of links (`from.host`). */
export function placeholderAddress({ id, name }: { id: number; name: string }, host: string): string {
  return `${id}+${name.toLowerCase()}@noreply.${new URL(host).hostname}`
}

/** A program that sends mail could take a leading dash for an option. */
function isLocal(local: string): boolean {
  return local !== '' && local.length <= LOCAL_MAX && !/^[-.]|\.\.|\.$/.test(local)
}

/** The domain as in DNS, in lower case; undefined if it has no dot, is an IP address or is not a domain. */
function asciiDomain(domain: string): string | undefined {
  // Check an ASCII domain before the conversion, which would read "1.2" as an IP address.
  const isAscii = /^[\u0000-\u007f]*$/.test(domain)
  if (isAscii && !LABELS.test(domain.toLowerCase())) return undefined
  const ascii = domainToASCII(domain)
  // Node 20 rejects a label that begins like Punycode and is none; Node 26 returns it unchanged.
  if (`.${domainToUnicode(ascii)}`.includes('.xn--')) return undefined
  return ascii.length <= 253 && LABELS.test(ascii) ? ascii : undefined
}
