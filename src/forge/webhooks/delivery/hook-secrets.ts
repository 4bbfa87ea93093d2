import { decryptedOrError, type Secrets } from '../../../db/encryption/secrets.ts'

/** The purposes that the secrets of a hook are encrypted for (`db/encryption/secrets.ts`). */
export const hookPurpose = {
  address: (hookId: number) => `hook ${hookId} address`,
  secret: (hookId: number) => `hook ${hookId} secret`,
  authorization: (hookId: number) => `hook ${hookId} authorization`,
  /** Target address of an attempt. */
  attempt: (deliveryId: number, number: number) => `delivery ${deliveryId} attempt ${number} address`,
}

/** The columns of a hook that are encrypted. */
export interface EncryptedHook {
  address: Buffer
  secret: Buffer | null
  authorization_header: Buffer | null
}

/** The encrypted values of a hook in plain text; empty: it has none. @throws DecryptionError */
export function openHook(secrets: Secrets, id: number, hook: EncryptedHook) {
  const { secret, authorization_header: header } = hook
  return {
    url: secrets.decrypt(hook.address, hookPurpose.address(id)),
    secret: secret ? secrets.decrypt(secret, hookPurpose.secret(id)) : '',
    authorization: header ? secrets.decrypt(header, hookPurpose.authorization(id)) : '',
  }
}

/** An address for display: empty if no configured key decrypts it. */
export function readableAddress(secrets: Secrets, address: Buffer, purpose: string): string {
  const text = decryptedOrError(() => secrets.decrypt(address, purpose))
  return typeof text === 'string' ? text : ''
}
