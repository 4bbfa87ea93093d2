import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { done, failed, type Outcome } from '../../common/outcome.ts'
import { invalid, notAllowed, UNKNOWN_ALGORITHM } from './ssh-blob.ts'
import { mpint, wireStrings } from './ssh-wire.ts'

const PEM = /^-----BEGIN (?:RSA )?PUBLIC KEY-----\s[A-Za-z0-9+/=\s]+-----END (?:RSA )?PUBLIC KEY-----$/

const CURVES: ReadonlyMap<string, string> = new Map([
  ['P-256', 'nistp256'],
  ['P-384', 'nistp384'],
  ['P-521', 'nistp521'],
])

/** Converts a PEM public key, SubjectPublicKeyInfo or PKCS#1 (RFC 7468 §13, RFC 8017 §A.1.1), to an OpenSSH blob. */
export function blobOfPem(text: string): Outcome<Buffer, string> {
  if (!PEM.test(text)) return failed(invalid('the PEM block is not one public key'))
  try {
    // OpenSSL does not accept a lone carriage return as a line end.
    return blobOfKey(createPublicKey({ key: text.replace(/\r\n?/g, '\n'), format: 'pem' }))
  } catch {
    return failed(invalid('the PEM block cannot be decoded'))
  }
}

/** Throws for a rare curve that Node cannot export. */
function blobOfKey(key: KeyObject): Outcome<Buffer, string> {
  const kind = key.asymmetricKeyType
  if (kind === 'dsa') return failed(notAllowed('dsa'))
  if (kind !== 'rsa' && kind !== 'ec' && kind !== 'ed25519') return failed(UNKNOWN_ALGORITHM)
  const blob = blobOfJwk(key.export({ format: 'jwk' }))
  return blob ? done(blob) : failed(UNKNOWN_ALGORITHM)
}

/** The members follow RFC 7518 §6 and RFC 8037 §2; undefined for a curve that OpenSSH does not know. */
function blobOfJwk({ kty, crv = '', e = '', n = '', x = '', y = '' }: JsonWebKey): Buffer | undefined {
  if (kty === 'RSA') return wireStrings('ssh-rsa', mpint(bytes(e)), mpint(bytes(n)))
  if (kty === 'OKP') return wireStrings('ssh-ed25519', bytes(x))
  const curve = CURVES.get(crv)
  if (!curve) return undefined
  return wireStrings(`ecdsa-sha2-${curve}`, curve, Buffer.concat([Buffer.of(4), bytes(x), bytes(y)]))
}

function bytes(base64url: string): Buffer {
  return Buffer.from(base64url, 'base64url')
}
