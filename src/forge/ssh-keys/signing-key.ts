import { createHash, createPrivateKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { messageOf } from '../../common/errors.ts'
import { done, failed, type Outcome } from '../../common/outcome.ts'
import type { CommitSigner } from '../../git/program/commit-signer.ts'
import { fingerprintOf } from './ssh-blob.ts'
import { WireReader, wireStrings } from './ssh-wire.ts'

/** An Ed25519 key as JSON Web Keys have it (RFC 8037), in base64url. */
interface SigningKey {
  x: string
  d: string
}

const armor = /^-----BEGIN OPENSSH PRIVATE KEY-----\s([A-Za-z0-9+/=\s]+)-----END OPENSSH PRIVATE KEY-----\s*$/
const magic = Buffer.from('openssh-key-v1\0')

/** Reads the file of a key as `ssh-keygen -t ed25519` makes it, without a passphrase (OpenSSH, PROTOCOL.key). */
export function readSigningKey(path: string): Outcome<SigningKey, string> {
  try {
    const key = keyIn(readFileSync(path, 'latin1'))
    return key ? done(key) : failed('names a file that is no Ed25519 key of OpenSSH without a passphrase')
  } catch (error) {
    return failed(`names a file that cannot be read: ${messageOf(error)}`)
  }
}

function keyIn(text: string): SigningKey | undefined {
  const bytes = Buffer.from(armor.exec(text)?.[1] ?? '', 'base64')
  if (!bytes.subarray(0, magic.length).equals(magic)) return undefined
  const reader = new WireReader(bytes.subarray(magic.length))
  const [cipher, kdf] = [reader.text(), reader.text()]
  reader.string()
  // After them, the number of keys, and the public ones.
  const keys = new WireReader(reader.rest().subarray(4))
  keys.string()
  const secret = keys.string()
  if (cipher !== 'none' || kdf !== 'none' || !secret) return undefined
  // Two numbers that are equal if a passphrase was right.
  const fields = new WireReader(secret.subarray(8))
  const [type, point, pair] = [fields.text(), fields.string(), fields.string()]
  if (type !== 'ssh-ed25519' || point?.length !== 32 || pair?.length !== 64) return undefined
  return { x: point.toString('base64url'), d: pair.subarray(0, 32).toString('base64url') }
}

/** Signs as `ssh-keygen -Y sign -n git` does (OpenSSH, PROTOCOL.sshsig). */
export function commitSigner({ x, d }: SigningKey): CommitSigner {
  const key = createPrivateKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x, d } })
  const blob = wireStrings('ssh-ed25519', Buffer.from(x, 'base64url'))
  const preamble = Buffer.from('SSHSIG')
  return {
    fingerprint: fingerprintOf(blob),
    publicKey: `ssh-ed25519 ${blob.toString('base64')}`,
    sign: (text) => {
      const digest = createHash('sha512').update(text).digest()
      const signed = Buffer.concat([preamble, wireStrings('git', '', 'sha512', digest)])
      const signature = wireStrings('ssh-ed25519', sign(null, signed, key))
      const version = Buffer.from([0, 0, 0, 1])
      const whole = Buffer.concat([preamble, version, wireStrings(blob, 'git', '', 'sha512', signature)])
      const lines = whole.toString('base64').match(/.{1,70}/g) ?? []
      return `-----BEGIN SSH SIGNATURE-----\n${lines.join('\n')}\n-----END SSH SIGNATURE-----\n`
    },
  }
}
