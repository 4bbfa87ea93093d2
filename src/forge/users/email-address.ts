import { domainToASCII } from 'node:url'
import { accept, type Outcome, refuse } from '../protocol/outcome.ts'
import type { Rule } from '../protocol/rules.ts'

/** An address as given, and the form in which it is unique: lower case, the domain in ASCII. */
export interface EmailAddress {
  readonly address: string
  readonly key: string
}

/** What is wrong with an address; the sentences differ only in whether characters are told apart. */
interface AddressFault {
  readonly reason: 'empty' | 'characters' | 'syntax'
  readonly address: string
}

/** The most characters of a whole address (RFC 5321 §4.5.3.1.3, without the angle brackets). */
export const EMAIL_MAX = 254
const LOCAL_MAX = 64

/** `atext` and dots (RFC 5322 §3.2.3): quoted local parts are possible and nobody's. */
const LOCAL = /^[\w.!#$%&'*+/=?^`{|}~-]*$/
/** Letters, digits, dots and dashes (RFC 1123 §2.1), or anything beyond ASCII: judged once it is translated. */
const DOMAIN = /^[A-Za-z0-9.\u0080-\u{10ffff}-]*$/u
const LABELS =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]*[a-z])[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** The rule on bodies. */
export const email: Rule = { word: 'Email', holds: (text) => parseAddress(text).ok }

/**
 * Reads an address: ASCII before the `@`, a domain with at least one dot after it, Unicode or punycode. Nothing is
 * trimmed; control characters, line breaks above all, are never part of an address.
 */
export function parseAddress(address: string): Outcome<EmailAddress, AddressFault> {
  if (address === '') return refuse({ reason: 'empty', address })
  const at = address.indexOf('@')
  const local = at < 0 ? address : address.slice(0, at)
  const domain = at < 0 ? '' : address.slice(at + 1)
  if (!LOCAL.test(local) || !DOMAIN.test(domain)) return refuse({ reason: 'characters', address })
  const ascii = isLocal(local) && address.length <= EMAIL_MAX ? asciiDomain(domain) : undefined
  if (ascii === undefined) return refuse({ reason: 'syntax', address })
  return accept({ address, key: `${local.toLowerCase()}@${ascii}` })
}

/** The sentence for a wrong address of a user. */
export function sayAddressInvalid({ address }: AddressFault): string {
  return `email address is invalid: ${address}`
}

/** The sentence (422) for a wrong address of an organization. */
export function sayOrganizationAddressInvalid({ reason, address }: AddressFault): string {
  return reason === 'characters'
    ? `e-mail address contains unsupported character [email: ${address}]`
    : `e-mail invalid [email: ${address}]`
}

/** The sentence (409) for an address that somebody has already, as a primary or another one. */
export function sayAddressTaken(address: string): string {
  return `e-mail already in use [email: ${address}]`
}

/** What strangers see instead of an address that is kept private. */
export function placeholderAddress(id: number, name: string, noReplyDomain: string): string {
  return `${id}+${name.toLowerCase()}@${noReplyDomain}`
}

/** A dash in front could be taken for an option by a program that sends mail. */
function isLocal(local: string): boolean {
  return local !== '' && local.length <= LOCAL_MAX && !/^[-.]|\.\.|\.$/.test(local)
}

/** The domain as DNS knows it, in lower case; undefined when it has no dot, is an IP address or not a domain at all. */
function asciiDomain(domain: string): string | undefined {
  // Before the translation an ASCII domain must be right already: it would read "1.2" as an IP address.
  const isAscii = /^[\u0000-\u007f]*$/.test(domain)
  if (isAscii && !LABELS.test(domain.toLowerCase())) return undefined
  const ascii = domainToASCII(domain)
  return ascii.length <= 253 && LABELS.test(ascii) ? ascii : undefined
}
