import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { encodeBase32 } from './base32.ts'

const STEP_SECONDS = 30
const DIGITS = 6

/** A new secret: 160 bits, the length of the hash (RFC 4226 §4). */
export function newTotpSecret(): Buffer {
  return randomBytes(20)
}

/** The URL that authenticator apps read, usually as a QR code; the colon between issuer and account stays literal. */
export function otpauthUrl(issuer: string, account: string, secret: Uint8Array): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  const query = [
    `secret=${encodeBase32(secret)}`,
    `issuer=${encodeURIComponent(issuer)}`,
    'algorithm=SHA1',
    `digits=${DIGITS}`,
    `period=${STEP_SECONDS}`,
  ]
  return `otpauth://totp/${label}?${query.join('&')}`
}

/**
 * The time step of a code, or undefined when the code is wrong. Accepts the current step and one to either side, for
 * clocks up to half a minute apart (RFC 6238 §5.2).
 *
 * Codes are single-use. `used` is the last accepted step of this account: codes of that step and earlier ones are wrong. The
 * caller must store the result on condition that the stored step is still lower, so that of two requests with one code
 * only one succeeds.
 */
export function verifyTotp(secret: Uint8Array, code: string, now: Date, used = -1): number | undefined {
  const digits = code.trim()
  if (!isTotpCode(digits)) return undefined
  const current = stepAt(now)
  const matching = [current - 1, current, current + 1].filter((step) => isCodeAt(secret, step, digits))
  return matching.find((step) => step > used)
}

/** Whether a text has the form of a code. */
export function isTotpCode(text: string): boolean {
  return /^[0-9]{6}$/.test(text)
}

/** The code at a moment, as an authenticator app shows it. */
export function totpAt(secret: Uint8Array, now: Date): string {
  return hotp(secret, stepAt(now), DIGITS)
}

/** The HMAC-based one-time password of a counter with SHA-1 (RFC 4226 §5.3), with leading zeros. */
export function hotp(secret: Uint8Array, counter: number, digits: number): string {
  const message = Buffer.alloc(8)
  message.writeBigUInt64BE(BigInt(counter))
  const mac = createHmac('sha1', secret).update(message).digest()
  const offset = mac.readUInt8(mac.length - 1) & 15
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** The number of the time step of a moment (RFC 6238 §4.2). */
export function stepAt(now: Date): number {
  return Math.floor(now.getTime() / 1000 / STEP_SECONDS)
}

function isCodeAt(secret: Uint8Array, step: number, code: string): boolean {
  return step >= 0 && timingSafeEqual(Buffer.from(hotp(secret, step, DIGITS)), Buffer.from(code))
}
