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

/** @throws DecryptionError */
export function openAddress(secrets: Secrets, { address, clear }: StoredAddress, purpose: string): string {
  return clear ?? (address ? secrets.decrypt(address, purpose) : '')
}

/** Like `openAddress`, for display: empty if no configured key decrypts it. */
export function readableAddress(secrets: Secrets, stored: StoredAddress, purpose: string): string {
  const address = decryptedOrError(() => openAddress(secrets, stored, purpose))
  return typeof address === 'string' ? address : ''
}
