import { createHash, randomBytes } from 'node:crypto'

/** What a runner, or a task, proves itself with: 160 random bits as 40 lower-case hex digits. */
export function newToken(): string {
  return randomBytes(20).toString('hex')
}

/** The form in which it is stored: a fast hash is enough, since nobody can guess 160 bits. */
export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest()
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** What runners register themselves with: 40 letters and digits. */
export function newRegistrationToken(): string {
  let token = ''
  while (token.length < 40) {
    // Bytes beyond the last whole round would make some letters likelier than others.
    for (const byte of randomBytes(64)) if (byte < 4 * letters.length) token += letters[byte % letters.length]
  }
  return token.slice(0, 40)
}
