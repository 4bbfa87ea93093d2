import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

/** Encrypts values that must be readable again but must not be stored in plaintext in tables, dumps or backups. */
export interface Secrets {
  /**
   * Encrypts with AES-256-GCM under the first key. `purpose` is the associated data; it says what the text is and to
   * which row it belongs, for example `hook 7 secret`. A text cannot be decrypted for another purpose, so copying it to
   * another row gains nothing.
   */
  encrypt(text: string, purpose: string): Buffer
  /** Decrypts. @throws DecryptionError when the key is missing, the purpose differs, or the bytes were changed */
  decrypt(encrypted: Uint8Array, purpose: string): string
  /** Whether it was encrypted with the first key; if not, it must be encrypted again before its key is removed. */
  isCurrent(encrypted: Uint8Array): boolean
  /**
   * HMAC-SHA-256 of a text that leaves the server and comes back, such as an address, under the first key. A signature
   * for one purpose is none for another.
   */
  sign(text: string, purpose: string): Buffer
  /** Whether this is the signature of the text for this purpose, with any of the keys. */
  isSigned(text: string, signature: Uint8Array, purpose: string): boolean
  /** Ids of the keys, the current one first: 16 hexadecimal digits each, which reveal nothing about the key. */
  keyIds: readonly [string, ...string[]]
}

/** A text that cannot be decrypted. The message gives the reason and contains no secret. */
export class DecryptionError extends Error {}

/** The result of `decrypt`, or the error if the text cannot be decrypted. */
export function decryptedOrError<Text>(decrypt: () => Text): Text | DecryptionError {
  try {
    return decrypt()
  } catch (error) {
    if (error instanceof DecryptionError) return error
    throw error
  }
}

interface Key {
  id: Buffer
  bytes: Buffer
}

/** Layout: version, key id, nonce, tag, ciphertext. */
const version = 1
const size = { version: 1, keyId: 8, nonce: 12, tag: 16 }
const head = size.version + size.keyId + size.nonce + size.tag

/**
 * `keys` are the secret texts of `SECRET_KEY`: the first encrypts, all decrypt. Each key has an id derived from it, so
 * their order may change and they need no names.
 */
export function createSecrets(keys: readonly [string, ...string[]]): Secrets {
  const [first, ...rest] = keys
  const current = deriveKey(first)
  const others = rest.map(deriveKey)
  const derived = [current, ...others]
  return {
    keyIds: [current.id.toString('hex'), ...others.map(({ id }) => id.toString('hex'))],
    encrypt: (text, purpose) => encrypt(current, text, purpose),
    decrypt: (encrypted, purpose) => decrypt(derived, Buffer.from(encrypted), purpose),
    isCurrent: (encrypted) => keyIdOf(Buffer.from(encrypted)).equals(current.id),
    sign: (text, purpose) => signatureOf(current, text, purpose),
    isSigned: (text, signature, purpose) =>
      derived.some((key) => isEqual(signatureOf(key, text, purpose), signature)),
  }
}

/** HKDF (RFC 5869): a text of any length gives a 256-bit key that is used for this alone. */
function deriveKey(text: string): Key {
  const bytes = Buffer.from(hkdfSync('sha256', text, '', 'forgehall secrets at rest', 32))
  const id = createHash('sha256').update('forgehall key id').update(bytes).digest().subarray(0, size.keyId)
  return { id, bytes }
}

function encrypt({ id, bytes }: Key, text: string, purpose: string): Buffer {
  const nonce = randomBytes(size.nonce)
  const cipher = createCipheriv('aes-256-gcm', bytes, nonce).setAAD(Buffer.from(purpose))
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(version), id, nonce, cipher.getAuthTag(), ciphertext])
}

function decrypt(keys: readonly Key[], encrypted: Buffer, purpose: string): string {
  if (encrypted.length < head || encrypted[0] !== version)
    throw new DecryptionError('it was not encrypted by Forgehall')
  const key = keys.find(({ id }) => id.equals(keyIdOf(encrypted)))
  if (!key) throw new DecryptionError('it was encrypted with a key that SECRET_KEY does not hold')
  const nonceAt = size.version + size.keyId
  const tagAt = nonceAt + size.nonce
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, encrypted.subarray(nonceAt, tagAt), {
    authTagLength: size.tag,
  })
  decipher.setAAD(Buffer.from(purpose)).setAuthTag(encrypted.subarray(tagAt, head))
  try {
    return decipher.update(encrypted.subarray(head), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    throw new DecryptionError('it was changed, or encrypted for another purpose')
  }
}

/** Each purpose has a key of its own, so that no signature says anything about what is encrypted. */
function signatureOf({ bytes }: Key, text: string, purpose: string): Buffer {
  const key = Buffer.from(hkdfSync('sha256', bytes, '', `forgehall signature: ${purpose}`, 32))
  return createHmac('sha256', key).update(text, 'utf8').digest()
}

const isEqual = (one: Buffer, other: Uint8Array) => one.length === other.length && timingSafeEqual(one, other)

const keyIdOf = (encrypted: Buffer) => encrypted.subarray(size.version, size.version + size.keyId)
