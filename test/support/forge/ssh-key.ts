import { generateKeyPairSync } from 'node:crypto'
import { wireStrings } from '../../../src/forge/ssh-keys/ssh-wire.ts'

/** The line of an Ed25519 key that nobody has yet: `ssh-ed25519 base64 comment`. */
export function newKeyLine(comment = ''): string {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  const blob = wireStrings('ssh-ed25519', Buffer.from(x, 'base64url'))
  return `ssh-ed25519 ${blob.toString('base64')} ${comment}`.trimEnd()
}
