import { decryptedOrError, type Secrets } from '../../../db/encryption/secrets.ts'

/** The purposes that the secrets of a hook are encrypted for (`db/encryption/secrets.ts`). */
export const hookPurpose = {
  address: (hookId: number) => `hook ${hookId} address`,
  secret: (hookId: number) => `hook ${hookId} secret`,
  authorization: (hookId: number) => `hook ${hookId} authorization`,
  /** Target address of an attempt. */
  attempt: (deliveryId: number, number: number) => `delivery ${deliveryId} attempt ${number} address`,
}

/** An address as a row holds it: encrypted, or in plain text from an older version of the program, which then wins. */
export interface StoredAddress {
  address: Buffer | null
  clear: string | null
}

/** The columns of a hook that are encrypted. */
export interface EncryptedHook extends StoredAddress {
  secret: Buffer | null
  authorization_header: Buffer | null
}

/** The encrypted values of a hook in plain text; empty: it has none. @throws DecryptionError */
export function openHook(secrets: Secrets, id: number, hook: EncryptedHook) {
  const { secret, authorization_header: header } = hook
  return {
    url: openAddress(secrets, hook, hookPurpose.address(id)),
    secret: secret ? secrets.decrypt(secret, hookPurpose.secret(id)) : '',
    authorization: header ? secrets.decrypt(header, hookPurpose.authorization(id)) : '',
  }
}

/** @throws DecryptionError */
function openAddress(secrets: Secrets, { address, clear }: StoredAddress, purpose: string): string {
  return clear ?? (address ? secrets.decrypt(address, purpose) : '')
}

/** Like `openAddress`, for display: empty if no configured key decrypts it. */
export function readableAddress(secrets: Secrets, stored: StoredAddress, purpose: string): string {
  const address = decryptedOrError(() => openAddress(secrets, stored, purpose))
  return typeof address === 'string' ? address : ''
}
