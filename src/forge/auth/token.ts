import { createHash, randomBytes } from 'node:crypto'

const TOKEN = /^[0-9a-f]{40}$/

/** A new access token: 160 random bits as 40 lower-case hex digits. It is shown once and never stored. */
export function newToken(): string {
  return randomBytes(20).toString('hex')
}

/** Whether the text has the form of a token. Any other text is wrong without a look-up. */
export function isToken(text: string): boolean {
  return TOKEN.test(text)
}

/**
 * The form in which a token is stored and looked up: its SHA-256 as 64 lower-case hex digits.
 *
 * A password hash is slow and salted because people choose guessable passwords. A token has 160 random bits, which no
 * dictionary covers. So a fast hash without salt keeps a stolen table worthless, and a look-up stays one step in a
 * unique index. The timing of the index comparison reveals nothing either, since an attacker cannot control the hash of
 * a guess.
 */
export function hashToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex')
}

/** The part that is stored in plain text (`token_last_eight`), so that users recognise a token in a list. */
export function lastEight(token: string): string {
  return token.slice(-8)
}
