import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { emailKey } from '../accounts/account-by-email-store.ts'
import { moment } from '../accounts/user.shape.ts'
import type { StoredGpgKey } from '../openpgp/gpg-key-store.ts'
import { EPOCH, printTime } from '../protocol/time.ts'

/** GPGKeyEmail of the original. */
const GPGKeyEmail = shape('GPGKeyEmail', {
  email: v.string(),
  verified: described(v.boolean(), 'Whether the account has activated the address'),
})

/** What primary keys and subkeys have in common. */
const ofEach = {
  id: int,
  primary_key_id: described(v.string(), 'Empty for a primary key'),
  key_id: described(v.string(), 'The last 16 digits of the fingerprint'),
  public_key: described(v.string(), 'The packet of this key alone, in base64'),
  emails: v.array(GPGKeyEmail),
  can_sign: v.boolean(),
  can_encrypt_comms: v.boolean(),
  can_encrypt_storage: v.boolean(),
  can_certify: v.boolean(),
  verified: described(v.boolean(), 'Whether the account has signed a text of the server with the key'),
  created_at: described(moment, 'When the key was made'),
  expires_at: described(moment, '`1970-01-01T00:00:00Z` if it does not end'),
}

/** GPGKey of the original: an OpenPGP key of a user. */
export const GPGKey = shape('GPGKey', {
  ...ofEach,
  subkeys: v.array(shape('GPGSubkey', { ...ofEach, subkeys: described(v.null(), 'A subkey has none') })),
})
export type GPGKey = v.InferOutput<typeof GPGKey>

/** A primary key with those of these subkeys that are its own. */
export function printGpgKey(key: StoredGpgKey, subkeys: readonly StoredGpgKey[]): GPGKey {
  const own = subkeys.filter(({ parent_id }) => parent_id === key.id)
  return {
    ...printed(key, ''),
    subkeys: own.map((subkey) => ({ ...printed(subkey, key.key_id), subkeys: null })),
  }
}

const printed = (key: StoredGpgKey, primary: string) => ({
  id: key.id,
  primary_key_id: primary,
  key_id: key.key_id,
  public_key: key.packet.toString('base64'),
  emails: key.emails.map((email) => ({ email, verified: key.activated.includes(emailKey(email)) })),
  can_sign: key.can_sign,
  can_encrypt_comms: key.can_encrypt_messages,
  can_encrypt_storage: key.can_encrypt_files,
  can_certify: key.can_certify,
  verified: key.is_verified,
  created_at: printTime(key.created_at, EPOCH),
  expires_at: printTime(key.expires_at, EPOCH),
})
