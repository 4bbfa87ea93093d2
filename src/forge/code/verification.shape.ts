import * as v from 'valibot'
import type { StoredCommit } from '../../git/repository/commit.ts'
import { shape } from '../../http/route/validate.ts'
import { described } from '../../http/route/values.ts'
import type { Signer } from '../ssh-keys/signers.ts'

/** PayloadUser of the original: a person in a commit, and the account with that e-mail address. */
export const PayloadUser = shape('PayloadUser', {
  name: v.string(),
  email: v.string(),
  username: described(v.string(), 'Empty if no account has the address'),
})

/** PayloadCommitVerification of the original. */
export const Verification = shape('PayloadCommitVerification', {
  verified: described(
    v.boolean(),
    'Whether a key (SSH or OpenPGP) of the account that has the address of the committer (of a tag: its tagger) signed it, or the key of the server',
  ),
  reason: described(v.string(), 'The account and the key, or why it is not verified'),
  signature: described(v.string(), 'Empty if it is not signed'),
  payload: described(v.string(), 'The signed text; empty if it is not signed'),
  signer: described(
    v.nullable(PayloadUser),
    'The account whose key signed it, or the server; null if it is not verified',
  ),
})
export type Verification = v.InferOutput<typeof Verification>

/** `signer`: who has signed it (`signersOf`). */
export function printVerification(
  { signature, payload }: Pick<StoredCommit, 'signature' | 'payload'>,
  signer: Signer | undefined,
): Verification {
  if (!signer) {
    const reason = signature === '' ? 'gpg.error.not_signed_commit' : 'gpg.error.no_gpg_keys_found'
    return { verified: false, reason, signature, payload, signer: null }
  }
  const { name, isServer, email, key } = signer
  const reason = `${name} / ${key}`
  return {
    verified: true,
    reason,
    signature,
    payload,
    signer: { name, email, username: isServer ? '' : name },
  }
}
