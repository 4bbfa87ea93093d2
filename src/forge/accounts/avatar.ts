import { createHash } from 'node:crypto'
import type { Account } from './account-store.ts'

/**
 * The URL of the picture of an account: of the `sent` one, else of one that is drawn. `seed` is a user's e-mail address or
 * an organization's name; the URL only shows its MD5 hash, because clients know that length. `base` ends with a slash.
 */
export const avatarUrl = (base: string, seed: string, sent: string | null = null) =>
  sent === null ? pictureUrl(base, seed.toLowerCase()) : sentAvatarUrl(base, sent)

/** The URL of the picture of an account. That of an organization does not depend on its address. */
export const accountPictureUrl = (
  base: string,
  { kind, email, name, avatar }: Pick<Account, 'kind' | 'email' | 'name' | 'avatar'>,
): string => avatarUrl(base, kind === 'organization' ? name : email || name, avatar)

/** The URL of a picture that a user has sent, by the name of its content. */
export const sentAvatarUrl = (base: string, sha256: string) => `${base}avatars/pictures/${sha256}`

/** The URL of the picture for a text, whose letters' case matters: the same picture each time. */
export function pictureUrl(base: string, text: string): string {
  return `${base}avatars/${createHash('md5').update(text).digest('hex')}`
}
