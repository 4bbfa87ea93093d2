import { createHash, randomBytes } from 'node:crypto'

/** The credential of a runner or a task: 160 random bits as 40 lower-case hex digits. */
export function newToken(): string {
  return randomBytes(20).toString('hex')
}

/** The stored form. A fast hash is enough: 160 random bits cannot be guessed. */
export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest()
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** The credential to register runners with: 40 letters and digits. */
export function newRegistrationToken(): string {
  let token = ''
  while (token.length < 40) {
    // Larger bytes would make some letters more likely.
    for (const byte of randomBytes(64)) if (byte < 4 * letters.length) token += letters[byte % letters.length]
  }
  return token.slice(0, 40)
}
