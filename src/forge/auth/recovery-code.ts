import { randomBytes } from 'node:crypto'
import { encodeBase32 } from './base32.ts'
import { hashToken } from './token.ts'

/** How many recovery codes an account gets. */
const count = 10

/**
 * New recovery codes, each of 80 random bits, in groups that people can copy (`abcd-efgh-ijkl-mnop`), and the hashes to
 * store.
 */
export function newRecoveryCodes(): { codes: readonly string[]; hashes: readonly string[] } {
  const bare = Array.from({ length: count }, () => encodeBase32(randomBytes(10)).toLowerCase())
  return { codes: bare.map((code) => code.replace(/.{4}(?=.)/g, '$&-')), hashes: bare.map(hashToken) }
}

/** The hash of a text that has the form of a recovery code, however it is grouped; undefined for another text. */
export function recoveryCodeHash(text: string): string | undefined {
  const bare = text.toLowerCase().replace(/[\s-]/g, '')
  return /^[a-z2-7]{16}$/.test(bare) ? hashToken(bare) : undefined
}
