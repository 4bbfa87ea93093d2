import { createHash, createPublicKey } from 'node:crypto'
import { done, failed, type Outcome } from '../../common/outcome.ts'
import { trimEnd } from '../../common/trim.ts'
import { bitLength, WireReader } from './ssh-wire.ts'

/** What the fields of a key blob contain. */
interface BlobInfo {
  readonly type: string
  /** Size in bits: of the modulus for RSA, of the curve otherwise. */
  readonly bits: number
}

/** Minimum size in bits. */
const MIN_RSA_BITS = 3071
/** Maximum size in bits that OpenSSH itself reads. */
const MAX_RSA_BITS = 16384

interface Curve {
  readonly name: string
  readonly jwk: string
  readonly bits: number
}

const P256: Curve = { name: 'nistp256', jwk: 'P-256', bits: 256 }
const P384: Curve = { name: 'nistp384', jwk: 'P-384', bits: 384 }
const P521: Curve = { name: 'nistp521', jwk: 'P-521', bits: 521 }

type FieldReader = (reader: WireReader) => number | string

/** Per key type: reads the fields after the type and returns the size in bits, or the reason why they are invalid. */
const READERS: ReadonlyMap<string, FieldReader> = new Map<string, FieldReader>([
  ['ssh-rsa', readRsa],
  ['ssh-ed25519', readEd25519],
  ['sk-ssh-ed25519@openssh.com', (reader) => readApplication(reader, readEd25519(reader))],
  ['ecdsa-sha2-nistp256', (reader) => readEcdsa(reader, P256)],
  ['ecdsa-sha2-nistp384', (reader) => readEcdsa(reader, P384)],
  ['ecdsa-sha2-nistp521', (reader) => readEcdsa(reader, P521)],
  ['sk-ecdsa-sha2-nistp256@openssh.com', (reader) => readApplication(reader, readEcdsa(reader, P256))],
])

/** Whether a word is the name of a key type, accepted or not. */
export function isKeyType(word: string): boolean {
  return /^(?:sk-)?(?:ssh|ecdsa)-[!-~]+$/.test(word) || word.endsWith('-cert-v01@openssh.com')
}

/** The type in the first field of a blob (RFC 4253 §6.6); undefined if it is not a key blob. */
export function blobType(blob: Buffer): string | undefined {
  const type = new WireReader(blob).text()
  return type !== undefined && /^[!-~]{1,64}$/.test(type) ? type : undefined
}

/** `SHA256:` and base64 without padding: equal for equal keys in any notation and with any comment. */
export const fingerprintOf = (blob: Buffer): string =>
  `SHA256:${trimEnd(createHash('sha256').update(blob).digest('base64'), '=')}`

/** Checks every field of a blob, including sizes and curve points. The fault is the error message for the client. */
export function readBlob(blob: Buffer): Outcome<BlobInfo, string> {
  const type = blobType(blob)
  if (type === undefined) return failed(invalid('the text is not a public key'))
  if (type.endsWith('-cert-v01@openssh.com')) return failed(invalid('certificates are not accepted'))
  if (type === 'ssh-dss') return failed(notAllowed('dsa'))
  const read = READERS.get(type)
  if (!read) return failed(UNKNOWN_ALGORITHM)
  const reader = new WireReader(blob)
  reader.string()
  const size = read(reader)
  if (typeof size === 'string') return failed(invalid(size))
  if (!reader.done) return failed(invalid('there are bytes after the key'))
  return done({ type, bits: size })
}

/** The error message for a key type that this server cannot check. */
export const UNKNOWN_ALGORITHM = 'Unable to verify key content'

/** The error message for an invalid key. */
export function invalid(reason: string): string {
  return `Invalid key content: ${reason}`
}

/** The error message for a known key type that is not allowed. */
export function notAllowed(kind: string): string {
  return invalid(`key type is not allowed: ${kind}`)
}

/** RFC 4253 §6.6: e, n. */
function readRsa(reader: WireReader): number | string {
  const exponent = reader.positive()
  const modulus = reader.positive()
  if (!exponent || !modulus) return 'the RSA numbers are malformed'
  if (!isOdd(exponent) || !isOdd(modulus) || bitLength(exponent) < 2) return 'the RSA numbers are not a key'
  const bits = bitLength(modulus)
  if (bits < MIN_RSA_BITS) return `key length is not enough: got ${bits}, needs ${MIN_RSA_BITS}`
  if (bits > MAX_RSA_BITS) return `key length is too much: got ${bits}, at most ${MAX_RSA_BITS}`
  return bits
}

/** RFC 8709 §4: the 32 bytes of the point. */
function readEd25519(reader: WireReader): number | string {
  return reader.string()?.length === 32 ? 256 : 'an Ed25519 key has 32 bytes'
}

/** RFC 5656 §3.1: the name of the curve, then the point. */
function readEcdsa(reader: WireReader, curve: Curve): number | string {
  if (reader.text() !== curve.name) return `the curve is not ${curve.name}`
  const point = reader.string()
  return point && isPointOn(curve, point) ? curve.bits : `the point is not on ${curve.name}`
}

/** OpenSSH PROTOCOL.u2f: a security key appends the application that it was made for, usually `ssh:`. */
function readApplication(reader: WireReader, size: number | string): number | string {
  if (typeof size === 'string') return size
  return /^[!-~]{1,255}$/.test(reader.text() ?? '') ? size : 'the security key names no application'
}

/** SEC 1 §2.3.4, uncompressed form only; OpenSSL rejects coordinates that are not on the curve. */
function isPointOn(curve: Curve, point: Buffer): boolean {
  const width = Math.ceil(curve.bits / 8)
  if (point.length !== 1 + 2 * width || point[0] !== 4) return false
  const x = point.subarray(1, 1 + width).toString('base64url')
  const y = point.subarray(1 + width).toString('base64url')
  try {
    createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: curve.jwk, x, y } })
    return true
  } catch {
    return false
  }
}

function isOdd(magnitude: Buffer): boolean {
  return ((magnitude.at(-1) ?? 0) & 1) === 1
}
