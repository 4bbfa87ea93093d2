import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts what must be read again and must not stand in a table, a dump or a backup in clear. */
export interface Secrets {
  /**
   * AES-256-GCM under the first key. `purpose` says what the text is and whose, for example `hook 7 secret`: what was
   * sealed for one purpose does not open for another, so that nothing is gained by moving it between rows.
   */
  seal(text: string, purpose: string): Buffer
  /** @throws SealError when the key is not here, the purpose is another, or the bytes were changed */
  open(sealed: Uint8Array, purpose: string): string
  /** Whether it was sealed under the first key; what was not should be sealed anew before its key is dropped. */
  isCurrent(sealed: Uint8Array): boolean
  /** Identifies the keys, the current one first: 16 hexadecimal digits each, from which no key follows. */
  keyIds: readonly [string, ...string[]]
}

/** A sealed text that cannot be opened. Says why, and never holds what is secret. */
export class DecryptionError extends Error {}

interface Key {
  id: Buffer
  bytes: Buffer
}

/** Layout: version, key id, nonce, tag, ciphertext. */
const version = 1
const size = { version: 1, keyId: 8, nonce: 12, tag: 16 }
const head = size.version + size.keyId + size.nonce + size.tag

/**
 * `keys` are secret texts, as `SECRET_KEY` gives them: the first seals, all of them open. A key is known by an id that
 * is derived from it, so that the order may change and nothing has to be named.
 */
export function createSecrets(keys: readonly [string, ...string[]]): Secrets {
  const [first, ...rest] = keys
  const current = deriveKey(first)
  const others = rest.map(deriveKey)
  const known = [current, ...others]
  return {
    keyIds: [current.id.toString('hex'), ...others.map(({ id }) => id.toString('hex'))],
    seal: (text, purpose) => seal(current, text, purpose),
    open: (sealed, purpose) => open(known, Buffer.from(sealed), purpose),
    isCurrent: (sealed) => keyIdOf(Buffer.from(sealed)).equals(current.id),
  }
}

/** HKDF (RFC 5869): whatever the length of the text, the key has 256 bits and serves nothing else. */
function deriveKey(text: string): Key {
  const bytes = Buffer.from(hkdfSync('sha256', text, '', 'forgehall secrets at rest', 32))
  const id = createHash('sha256').update('forgehall key id').update(bytes).digest().subarray(0, size.keyId)
  return { id, bytes }
}

function seal({ id, bytes }: Key, text: string, purpose: string): Buffer {
  const nonce = randomBytes(size.nonce)
  const cipher = createCipheriv('aes-256-gcm', bytes, nonce).setAAD(Buffer.from(purpose))
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(version), id, nonce, cipher.getAuthTag(), ciphertext])
}

function open(known: readonly Key[], sealed: Buffer, purpose: string): string {
  if (sealed.length < head || sealed[0] !== version)
    throw new DecryptionError('this was not sealed by Forgehall')
  const key = known.find(({ id }) => id.equals(keyIdOf(sealed)))
  if (!key) throw new DecryptionError('it was sealed with a key that SECRET_KEY does not hold')
  const nonceAt = size.version + size.keyId
  const tagAt = nonceAt + size.nonce
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, sealed.subarray(nonceAt, tagAt), {
    authTagLength: size.tag,
  })
  decipher.setAAD(Buffer.from(purpose)).setAuthTag(sealed.subarray(tagAt, head))
  try {
    return decipher.update(sealed.subarray(head), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    throw new DecryptionError('it was changed, or sealed for another purpose')
  }
}

const keyIdOf = (sealed: Buffer) => sealed.subarray(size.version, size.version + size.keyId)
