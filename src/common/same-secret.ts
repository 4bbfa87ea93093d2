import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares hashes, so that every guess takes the same time, whatever its length. */
export const isSameSecret = (guess: string, secret: string): boolean =>
  timingSafeEqual(hashOf(guess), hashOf(secret))

const hashOf = (text: string) => createHash('sha256').update(text).digest()
