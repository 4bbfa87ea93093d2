import { DecryptionError, type Secrets } from '../../../db/encryption/secrets.ts'

/** For what the secrets of a hook are sealed (`db/encryption/secrets.ts`). */
export const hookPurpose = {
  address: (hookId: number) => `hook ${hookId} address`,
  secret: (hookId: number) => `hook ${hookId} secret`,
  authorization: (hookId: number) => `hook ${hookId} authorization`,
  /** Where an attempt went. */
  attempt: (deliveryId: number, number: number) => `delivery ${deliveryId} attempt ${number} address`,
}

/** An address as a row holds it: sealed, or in clear from an earlier program, which then is the newer one. */
export interface KeptAddress {
  address: Buffer | null
  clear: string | null
}

/** @throws SealError */
export function openAddress(secrets: Secrets, { address, clear }: KeptAddress, purpose: string): string {
  return clear ?? (address ? secrets.open(address, purpose) : '')
}

/** The same for who only shows it: empty where no key opens it. */
export function knownAddress(secrets: Secrets, kept: KeptAddress, purpose: string): string {
  try {
    return openAddress(secrets, kept, purpose)
  } catch (error) {
    if (error instanceof DecryptionError) return ''
    throw error
  }
}
