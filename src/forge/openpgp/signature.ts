import { createHash, verify } from 'node:crypto'
import { armored } from './armor.ts'
import { FieldReader, lengthAfter, packetsIn, tags } from './packets.ts'
import { type PublicKey, schemeOf } from './public-key.ts'

/** A signature of version 4 that was read, not yet checked (RFC 9580 §5.2). */
export interface Signature {
  readonly type: number
  /** Of the key that is said to have made it; empty if it names none. */
  readonly issuer: string
  /** Seconds since 1970. */
  readonly created: number
  /** Seconds from the creation of a key to its end; 0: none. */
  readonly keyExpires: number
  /** What a key may be used for; undefined: it does not say. */
  readonly flags: number | undefined
  /** The signature of a signing subkey about its primary key. */
  readonly embedded: Buffer | undefined
  readonly algorithm: number
  readonly hash: string
  /** What is hashed after the text. */
  readonly trailer: Buffer
  /** The numbers. */
  readonly rest: Buffer
}

/** Types of signatures. */
export const types = {
  binary: 0x00,
  certificationFirst: 0x10,
  certificationLast: 0x13,
  subkeyBinding: 0x18,
  primaryKeyBinding: 0x19,
  directKey: 0x1f,
  keyRevocation: 0x20,
  subkeyRevocation: 0x28,
  certificationRevocation: 0x30,
} as const

/** MD5, SHA-1 and RIPEMD-160 can be forged, so they are not among them. */
const hashes: Readonly<Record<number, string>> = { 8: 'sha256', 9: 'sha384', 10: 'sha512', 11: 'sha224' }

/** The one signature in an armor, as `gpg --armor --detach-sign` makes it; undefined if it is none, or several. */
export function parseSignature(text: string): Signature | undefined {
  const bytes = armored(text, 'SIGNATURE')
  const [packet] = (bytes && packetsIn(bytes, 1)) ?? []
  const signature = packet?.tag === tags.signature ? signatureIn(packet.body) : undefined
  return signature?.type === types.binary ? signature : undefined
}

/** Reads the body of a packet; undefined if it is malformed, or says something that nobody here understands. */
export function signatureIn(body: Buffer): Signature | undefined {
  const reader = new FieldReader(body)
  const version = reader.number(1)
  const [type, algorithm, hash] = [reader.number(1), reader.number(1), reader.number(1)]
  const hashed = reader.take(reader.number(2) ?? Number.POSITIVE_INFINITY)
  const unhashed = reader.take(reader.number(2) ?? Number.POSITIVE_INFINITY)
  const start = reader.take(2)
  const name = hashes[hash ?? 0]
  if (version !== 4 || type === undefined || algorithm === undefined || name === undefined) return undefined
  if (!hashed || !unhashed || !start) return undefined
  const [signed, unsigned] = [subpacketsIn(hashed), subpacketsIn(unhashed)]
  const created = signed?.get(subpackets.created)
  // No signature about keys or commits ends by itself: one that does is not accepted, as it would need a clock.
  const expires = signed?.get(subpackets.expires)
  if (!signed || !unsigned || created?.length !== 4 || (expires && !isZero(expires))) return undefined
  const ends = signed.get(subpackets.keyExpires)
  const prefix = body.subarray(0, 6 + hashed.length)
  return {
    type,
    algorithm,
    hash: name,
    created: created.readUInt32BE(),
    keyExpires: ends?.length === 4 ? ends.readUInt32BE() : 0,
    flags: signed.get(subpackets.flags)?.[0],
    embedded: signed.get(subpackets.embedded) ?? unsigned.get(subpackets.embedded),
    issuer: issuerIn(signed) || issuerIn(unsigned),
    trailer: Buffer.concat([prefix, trailerEnd(prefix.length)]),
    rest: body.subarray(10 + hashed.length + unhashed.length),
  }
}

const isZero = (bytes: Buffer) => bytes.every((byte) => byte === 0)

function trailerEnd(length: number): Buffer {
  const end = Buffer.from([4, 0xff, 0, 0, 0, 0])
  end.writeUInt32BE(length, 2)
  return end
}

const subpackets = {
  created: 2,
  expires: 3,
  keyExpires: 9,
  issuer: 16,
  flags: 27,
  embedded: 32,
  fingerprint: 33,
} as const

/** Subpackets that change nothing about whether a signature counts: preferences, notes, and those above. */
const understood: ReadonlySet<number> = new Set([
  ...Object.values(subpackets),
  ...[4, 5, 7, 11, 21, 22, 23, 24, 25, 26, 28, 29, 30, 34, 35, 39],
])

/** The first subpacket of each type; undefined if they are malformed, or a critical one is not understood. */
function subpacketsIn(bytes: Buffer): Map<number, Buffer> | undefined {
  const reader = new FieldReader(bytes)
  const found = new Map<number, Buffer>()
  while (!reader.done) {
    const content = reader.take(lengthAfter(reader, reader.number(1)) ?? Number.POSITIVE_INFINITY)
    const [head] = content ?? []
    if (!content || head === undefined) return undefined
    const type = head & 0x7f
    if (head !== type && !understood.has(type)) return undefined
    if (!found.has(type)) found.set(type, content.subarray(1))
  }
  return found
}

/** The key id of who is said to have signed; that of version 4 ends the fingerprint. */
function issuerIn(found: ReadonlyMap<number, Buffer>): string {
  const id = found.get(subpackets.issuer) ?? found.get(subpackets.fingerprint)?.subarray(-8)
  return id?.length === 8 ? id.toString('hex').toUpperCase() : ''
}

/** Whether a key has made this signature about a text. */
export function isSignedBy(key: PublicKey, signature: Signature, text: Buffer): boolean {
  const scheme = key.algorithm === signature.algorithm ? schemeOf(key) : undefined
  const reader = new FieldReader(signature.rest)
  const numbers = scheme?.decode(reader)
  if (!scheme || !numbers || !reader.done) return false
  const hashed = Buffer.concat([text, signature.trailer])
  const parameters = { key: scheme.key, dsaEncoding: 'ieee-p1363' } as const
  return scheme.signsDigest
    ? verify(null, createHash(signature.hash).update(hashed).digest(), parameters, numbers)
    : verify(signature.hash, hashed, parameters, numbers)
}
