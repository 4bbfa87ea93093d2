import { createHash, timingSafeEqual } from 'node:crypto'

/**
 * Whether a given text is a secret, in the same time for every guess, of whatever length: their hashes are compared.
 */
export function isSameSecret(given: string, secret: string): boolean {
  return timingSafeEqual(hashOf(given), hashOf(secret))
}

const hashOf = (text: string) => createHash('sha256').update(text).digest()
