import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { fingerprintOf, readBlob } from './ssh-blob.ts'
import { WireReader, wireStrings } from './ssh-wire.ts'

/** Signatures as `ssh-keygen -Y sign` and git make them (OpenSSH, PROTOCOL.sshsig). */

/** A signature that was read, not yet checked. */
interface SshSignature {
  /** Of the key that is said to have made it (`fingerprintOf`). */
  readonly fingerprint: string
  /** Whether that key has signed this text. */
  readonly signs: (text: Buffer) => boolean
}

const magic = Buffer.from('SSHSIG')
const version = Buffer.from([0, 0, 0, 1])
const armor = /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)\n-----END SSH SIGNATURE-----\s*$/

/** Reads a signature in its armor; undefined if it is none of a commit or tag. */
export function parseSshSignature(text: string): SshSignature | undefined {
  const [, base64] = armor.exec(text.replaceAll('\r', '')) ?? []
  const bytes = Buffer.from(base64 ?? '', 'base64')
  const start = magic.length + version.length
  if (!bytes.subarray(0, start).equals(Buffer.concat([magic, version]))) return undefined
  const reader = new WireReader(bytes.subarray(start))
  const [key, namespace, reserved, hash, signature] = Array.from({ length: 5 }, () => reader.string())
  if (!key || !reserved || !hash || !signature || !reader.done) return undefined
  const algorithm = hash.toString('latin1')
  // Git signs in a namespace of its own, so that no signature for another purpose passes for one of a commit.
  if (namespace?.toString('latin1') !== 'git' || !/^sha(?:256|512)$/.test(algorithm)) return undefined
  const signs = (text: Buffer) => {
    const digest = createHash(algorithm).update(text).digest()
    return isSignature(
      key,
      signature,
      Buffer.concat([magic, wireStrings('git', reserved, algorithm, digest)]),
    )
  }
  return { fingerprint: fingerprintOf(key), signs }
}

/** How signatures of a key are checked. */
interface Scheme {
  readonly key: JsonWebKey
  /** Hash by the format that the signature names; null: the algorithm has its own. */
  readonly hashes: Readonly<Record<string, string | null>>
  /** The signature as node reads it. */
  readonly decode: (signature: Buffer) => Buffer | undefined
  /** What a security key signs with the text (OpenSSH PROTOCOL.u2f). */
  readonly application?: Buffer | undefined
}

/** RFC 4253 §6.6: the name of the format, then the signature; security keys append flags and a counter. */
function isSignature(blob: Buffer, signature: Buffer, text: Buffer): boolean {
  const scheme = readBlob(blob).ok ? schemeOf(new WireReader(blob)) : undefined
  const reader = new WireReader(signature)
  const hash = scheme?.hashes[reader.text() ?? '']
  const bytes = reader.string()
  const appended = reader.rest()
  const decoded = bytes && scheme?.decode(bytes)
  const { application } = scheme ?? {}
  if (!scheme || hash === undefined || !decoded || appended.length !== (application ? 5 : 0)) return false
  const signed = application ? Buffer.concat([sha256(application), appended, sha256(text)]) : text
  const key = createPublicKey({ format: 'jwk', key: scheme.key })
  return verify(hash, signed, { key, dsaEncoding: 'ieee-p1363' }, decoded)
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest()

/** Of a key that passed `readBlob`. */
function schemeOf(reader: WireReader): Scheme | undefined {
  const type = reader.text() ?? ''
  if (type === 'ssh-rsa') return rsa(reader)
  const scheme = type.includes('ed25519') ? ed25519(type, reader) : ecdsa(type, reader)
  return type.startsWith('sk-') ? { ...scheme, application: reader.string() } : scheme
}

/** RFC 8332 §3: the formats with SHA-2; that with SHA-1 is not accepted. */
function rsa(reader: WireReader): Scheme | undefined {
  const exponent = reader.positive()
  const modulus = reader.positive()
  if (!exponent || !modulus) return undefined
  return {
    key: { kty: 'RSA', e: exponent.toString('base64url'), n: modulus.toString('base64url') },
    hashes: { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' },
    decode: (signature) => padded(signature, modulus.length),
  }
}

/** RFC 8709 §6. */
const ed25519 = (type: string, reader: WireReader): Scheme => ({
  key: { kty: 'OKP', crv: 'Ed25519', x: (reader.string() ?? Buffer.alloc(0)).toString('base64url') },
  hashes: { [type]: null },
  decode: (signature) => (signature.length === 64 ? signature : undefined),
})

/** RFC 5656 §3.1: the point, and two numbers as a signature; §6.2.1: the hash by the size of the curve. */
function ecdsa(type: string, reader: WireReader): Scheme {
  const curve = reader.text() ?? ''
  const point = (reader.string() ?? Buffer.alloc(0)).subarray(1)
  const width = point.length / 2
  const hash = width === 32 ? 'sha256' : width === 48 ? 'sha384' : 'sha512'
  const [x, y] = [point.subarray(0, width), point.subarray(width)].map((part) => part.toString('base64url'))
  return {
    key: {
      kty: 'EC',
      crv: curve.replace('nistp', 'P-'),
      ...(x !== undefined && { x }),
      ...(y !== undefined && { y }),
    },
    hashes: { [type]: hash },
    decode: (signature) => {
      const numbers = new WireReader(signature)
      const [r, s] = [numbers.positive(), numbers.positive()].map((part) => part && padded(part, width))
      return r && s && numbers.done ? Buffer.concat([r, s]) : undefined
    },
  }
}

/** A number with zeros in front; undefined if it is longer. */
function padded(number: Buffer, width: number): Buffer | undefined {
  return number.length > width ? undefined : Buffer.concat([Buffer.alloc(width - number.length), number])
}
