import { done, failed, type Outcome } from '../../common/outcome.ts'
import { armored } from './armor.ts'
import { type Packet, packetBytes, packetsIn, tags } from './packets.ts'
import { algorithms, hashedKey, type PublicKey, publicKeyIn, schemeOf } from './public-key.ts'
import { isSignedBy, type Signature, signatureIn, types } from './signature.ts'

/** What the primary key says that one of its keys may be used for. */
export interface KeyUse {
  readonly key: PublicKey
  /** Seconds since 1970; undefined: it does not end. */
  readonly expires: number | undefined
  readonly signs: boolean
  readonly certifies: boolean
  readonly encryptsMessages: boolean
  readonly encryptsFiles: boolean
}

/** A public key with what its owner has signed about it (RFC 9580 §10.1). */
export interface Certificate {
  readonly primary: KeyUse
  /** Without those that are revoked or that the primary key has not signed. */
  readonly subkeys: readonly KeyUse[]
  /** Those in its user ids, as they are written. */
  readonly emails: readonly string[]
  /** Its packets, without signatures of others and whatever else is not read here. */
  readonly bytes: Buffer
}

/** Maximum characters of the armor, packets in it, keys and user ids, and signatures that are checked: each takes time. */
const maxLength = 256 * 1024
const maxPackets = 2000
const maxParts = 50
const maxSignatures = 200

/** A key or user id with the signatures about it that the primary key has made. */
interface Part {
  readonly packet: Packet
  readonly key: PublicKey | undefined
  readonly signatures: { readonly packet: Packet; readonly signature: Signature }[]
}

/** Reads the text of a public key. The fault is the error message for the client. */
export function parseCertificate(text: string): Outcome<Certificate, string> {
  if (text.length > maxLength)
    return failed(`the key is longer than ${maxLength} characters: export it with export-minimal`)
  if (text.includes('PRIVATE KEY BLOCK')) return failed(hasSecrets)
  const bytes = armored(text, 'PUBLIC KEY BLOCK')
  const packets = bytes && packetsIn(bytes, maxPackets)
  if (!packets) return failed('the text is not one armored public key')
  if (packets.some(({ tag }) => tag === tags.secretKey || tag === tags.secretSubkey))
    return failed(hasSecrets)
  if (packets[0]?.tag !== tags.publicKey || packets.slice(1).some(({ tag }) => tag === tags.publicKey))
    return failed('the text is not exactly one public key')
  return certificateOf(packets)
}

const hasSecrets = 'the text has the secret key in it: export only the public one'

function certificateOf([head, ...packets]: readonly Packet[]): Outcome<Certificate, string> {
  const primary = head && publicKeyIn(head.body)
  if (!head || !primary) return failed('only keys of version 4 are accepted')
  if (!schemeOf(primary))
    return failed('the algorithm is not accepted: use Ed25519, RSA of 2048 to 8192 bits, or ECDSA of NIST')
  const parts = partsOf(head, primary, packets)
  if (!parts)
    return failed(
      `the key has more than ${maxParts} user ids and subkeys, or ${maxSignatures} signatures of its own: export it with export-minimal`,
    )
  const [ofPrimary, ...others] = parts.map((part) => ({ ...part, signatures: checked(primary, part) }))
  if (!ofPrimary || newest(ofPrimary, types.keyRevocation)) return failed('the key is revoked')
  const userIds = others.filter((part) => part.packet.tag === tags.userId && isNamed(part))
  const own = newestOf([ofPrimary, ...userIds].flatMap(({ signatures }) => signatures.filter(isAboutPrimary)))
  if (!own) return failed('the key has not signed itself with SHA-2')
  const subkeys = others.flatMap((part) => {
    const use = subkeyUse(primary, part)
    return use ? [{ part, use }] : []
  })
  const kept = [ofPrimary, ...userIds, ...subkeys.map(({ part }) => part)]
  return done({
    primary: useOf(primary, own, true),
    subkeys: subkeys.map(({ use }) => use),
    emails: [...new Set(userIds.flatMap(({ packet }) => emailIn(packet.body.toString('utf8'))))],
    bytes: Buffer.concat(
      kept
        .flatMap(({ packet, signatures }) => [packet, ...signatures.map((each) => each.packet)])
        .map(packetBytes),
    ),
  })
}

/** The key and what follows it, each with its signatures; undefined: there are too many. */
function partsOf(head: Packet, primary: PublicKey, packets: readonly Packet[]): Part[] | undefined {
  const parts: Part[] = [{ packet: head, key: primary, signatures: [] }]
  let count = 0
  for (const packet of packets) {
    const signature = packet.tag === tags.signature ? signatureIn(packet.body) : undefined
    if (packet.tag === tags.signature) {
      if (signature?.issuer !== primary.keyId) continue
      if (++count > maxSignatures) return undefined
      parts.at(-1)?.signatures.push({ packet, signature })
      continue
    }
    // What is neither a user id nor a subkey, such as a picture, takes its signatures with it.
    const key = packet.tag === tags.publicSubkey ? publicKeyIn(packet.body) : undefined
    if (parts.push({ packet, key, signatures: [] }) > maxParts) return undefined
  }
  return parts
}

/** The signatures about a part that the primary key has really made, the newest first. */
const checked = (primary: PublicKey, part: Part) =>
  part.signatures
    .filter(({ signature }) => isSignedBy(primary, signature, textAbout(primary, part.packet)))
    .sort((one, other) => other.signature.created - one.signature.created)

/** What is hashed for a signature about a part (RFC 9580 §5.2.4). */
function textAbout({ body }: PublicKey, { tag, body: about }: Packet): Buffer {
  if (tag === tags.publicKey) return hashedKey(body)
  if (tag === tags.publicSubkey) return Buffer.concat([hashedKey(body), hashedKey(about)])
  const head = Buffer.from([0xb4, 0, 0, 0, 0])
  head.writeUInt32BE(about.length, 1)
  return Buffer.concat([hashedKey(body), head, about])
}

const isCertification = ({ type }: Signature) =>
  type >= types.certificationFirst && type <= types.certificationLast
const isAboutPrimary = ({ signature }: Part['signatures'][number]) =>
  signature.type === types.directKey || isCertification(signature)

const newestOf = (signatures: Part['signatures']): Signature | undefined =>
  signatures.reduce<Signature | undefined>(
    (newest, { signature }) => (newest && newest.created >= signature.created ? newest : signature),
    undefined,
  )

const newest = ({ signatures }: Part, type: number): Signature | undefined =>
  signatures.find(({ signature }) => signature.type === type)?.signature

/** Whether the key has signed a user id, and has not revoked it since. */
function isNamed(part: Part): boolean {
  const certified = part.signatures.find(({ signature }) => isCertification(signature))?.signature
  const revoked = newest(part, types.certificationRevocation)
  return certified !== undefined && !(revoked && revoked.created >= certified.created)
}

function subkeyUse(primary: PublicKey, part: Part): KeyUse | undefined {
  const binding = newest(part, types.subkeyBinding)
  if (!part.key || !binding || newest(part, types.subkeyRevocation)) return undefined
  return useOf(part.key, binding, bindsPrimary(primary, part, binding))
}

/** Whether a subkey has signed that it belongs to the primary key: else anybody could call it theirs. */
function bindsPrimary(primary: PublicKey, { packet, key }: Part, { embedded }: Signature): boolean {
  const signature = embedded && signatureIn(embedded)
  if (!key || signature?.type !== types.primaryKeyBinding) return false
  return isSignedBy(key, signature, textAbout(primary, packet))
}

/** RFC 9580 §5.2.3.29. */
const flagBits = { certify: 1, sign: 2, encryptMessages: 4, encryptFiles: 8 } as const
const signing: readonly number[] = Object.values(algorithms)

/** `maySign`: whether it is known that whoever has the primary key has this key, too. */
function useOf(key: PublicKey, { flags, keyExpires }: Signature, maySign: boolean): KeyUse {
  const has = (bit: number) => ((flags ?? 0xff) & bit) !== 0
  return {
    key,
    expires: keyExpires === 0 ? undefined : key.created + keyExpires,
    signs: maySign && has(flagBits.sign) && signing.includes(key.algorithm),
    certifies: maySign && has(flagBits.certify) && signing.includes(key.algorithm),
    encryptsMessages: has(flagBits.encryptMessages),
    encryptsFiles: has(flagBits.encryptFiles),
  }
}

/** The address in `Ada Lovelace <ada@example.com>`, or that is the whole user id. */
function emailIn(userId: string): string[] {
  const address = userId.endsWith('>') ? userId.slice(userId.lastIndexOf('<') + 1, -1) : userId
  return /^[^\s<>@]+@[^\s<>@]+$/.test(address) ? [address] : []
}
