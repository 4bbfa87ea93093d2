import { createHash } from 'node:crypto'

/**
 * The address of an account's picture. `seed` is a user's e-mail address or an organization's name; only its hash is
 * seen, MD5 because clients know the length. `base` ends with a slash.
 */
export function avatarUrl(base: string, seed: string): string {
  return `${base}avatars/${createHash('md5').update(seed.toLowerCase()).digest('hex')}`
}
