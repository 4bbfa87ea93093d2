import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { FieldReader } from './packets.ts'

/** A public key of version 4, primary or not (RFC 9580 §5.5). */
export interface PublicKey {
  /** The body of its packet. */
  readonly body: Buffer
  /** Hexadecimal, in capitals; the key id is its end. */
  readonly fingerprint: string
  readonly keyId: string
  /** Seconds since 1970. */
  readonly created: number
  readonly algorithm: number
}

/** The numbers of algorithms (RFC 9580 §9.1). */
export const algorithms = { rsa: 1, rsaSigning: 3, ecdsa: 19, eddsa: 22, ed25519: 27 } as const

/** Reads the body of a packet; undefined if it is no key of version 4. */
export function publicKeyIn(body: Buffer): PublicKey | undefined {
  const reader = new FieldReader(body)
  const [version, created, algorithm] = [reader.number(1), reader.number(4), reader.number(1)]
  if (version !== 4 || created === undefined || algorithm === undefined || body.length > 0xffff)
    return undefined
  const fingerprint = createHash('sha1').update(hashedKey(body)).digest('hex').toUpperCase()
  return { body, fingerprint, keyId: fingerprint.slice(-16), created, algorithm }
}

/** A key as signatures about it hash it. */
export function hashedKey(body: Buffer): Buffer {
  const head = Buffer.from([0x99, 0, 0])
  head.writeUInt16BE(body.length, 1)
  return Buffer.concat([head, body])
}

/** How the signatures of a key are checked. */
interface Scheme {
  readonly key: KeyObject
  /** Whether it signs the hash of the text as a text of its own. */
  readonly signsDigest: boolean
  /** The signature as node reads it. */
  readonly decode: (reader: FieldReader) => Buffer | undefined
}

/** Undefined: the key signs nothing that is accepted, or is malformed. */
export function schemeOf({ body, algorithm }: PublicKey): Scheme | undefined {
  const reader = new FieldReader(body.subarray(6))
  try {
    if (algorithm === algorithms.rsa || algorithm === algorithms.rsaSigning) return rsa(reader)
    if (algorithm === algorithms.ecdsa) return ecdsa(reader)
    if (algorithm === algorithms.eddsa) return eddsa(reader)
    return algorithm === algorithms.ed25519 ? ed25519(reader) : undefined
  } catch {
    // Of a point that is not on its curve.
    return undefined
  }
}

const keyOf = (key: JsonWebKey) => createPublicKey({ format: 'jwk', key })

/** Sizes in bytes, so that a check takes a bounded time. */
const minModulus = 256
const maxModulus = 1024
const maxExponent = 4

function rsa(reader: FieldReader): Scheme | undefined {
  const [modulus, exponent] = [reader.integer(), reader.integer()]
  if (!modulus || !exponent || modulus.length < minModulus || modulus.length > maxModulus) return undefined
  if (exponent.length > maxExponent) return undefined
  return {
    key: keyOf({ kty: 'RSA', n: modulus.toString('base64url'), e: exponent.toString('base64url') }),
    signsDigest: false,
    decode: (signature) => padded(signature.integer(), modulus.length),
  }
}

/** The names of curves by their object identifiers, and the bytes of a coordinate. */
const curves: Readonly<Record<string, { readonly crv: string; readonly width: number }>> = {
  '2a8648ce3d030107': { crv: 'P-256', width: 32 },
  '2b81040022': { crv: 'P-384', width: 48 },
  '2b81040023': { crv: 'P-521', width: 66 },
}

function ecdsa(reader: FieldReader): Scheme | undefined {
  const curve = curves[curveIn(reader)]
  const point = reader.integer()
  if (!curve || point?.length !== 1 + 2 * curve.width || point[0] !== 4) return undefined
  const { crv, width } = curve
  const [x, y] = [point.subarray(1, 1 + width), point.subarray(1 + width)]
  return {
    key: keyOf({ kty: 'EC', crv, x: x.toString('base64url'), y: y.toString('base64url') }),
    signsDigest: false,
    decode: (signature) => pair(signature, width),
  }
}

const curveIn = (reader: FieldReader) => reader.take(reader.number(1) ?? 0)?.toString('hex') ?? ''
const ed25519Curve = '2b06010401da470f01'

/** The older form, which GnuPG writes: the curve, and a point that begins with 0x40. */
function eddsa(reader: FieldReader): Scheme | undefined {
  const curve = curveIn(reader)
  const point = reader.integer()
  if (curve !== ed25519Curve || point?.length !== 33 || point[0] !== 0x40) return undefined
  return ofEd25519(point.subarray(1), (signature) => pair(signature, 32))
}

function ed25519(reader: FieldReader): Scheme | undefined {
  const point = reader.take(32)
  return point && reader.done ? ofEd25519(point, (signature) => signature.take(64)) : undefined
}

const ofEd25519 = (point: Buffer, decode: Scheme['decode']): Scheme => ({
  key: keyOf({ kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url') }),
  signsDigest: true,
  decode,
})

/** Two numbers of so many bytes. */
function pair(reader: FieldReader, width: number): Buffer | undefined {
  const [one, other] = [padded(reader.integer(), width), padded(reader.integer(), width)]
  return one && other && Buffer.concat([one, other])
}

/** A number with zeros in front; undefined if it is longer. */
function padded(number: Buffer | undefined, width: number): Buffer | undefined {
  if (!number || number.length > width) return undefined
  return Buffer.concat([Buffer.alloc(width - number.length), number])
}
