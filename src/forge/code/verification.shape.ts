import * as v from 'valibot'
import type { StoredCommit } from '../../git/repository/commit.ts'
import { shape } from '../../http/route/validate.ts'
import { described } from '../../http/route/values.ts'

/** PayloadUser of the original: a person in a commit, and the account with that e-mail address. */
export const PayloadUser = shape('PayloadUser', {
  name: v.string(),
  email: v.string(),
  username: described(v.string(), 'Empty if no account has the address'),
})

/** PayloadCommitVerification of the original. */
export const Verification = shape('PayloadCommitVerification', {
  verified: described(v.boolean(), 'Always false: this server checks no signatures'),
  reason: v.string(),
  signature: described(v.string(), 'Empty if the commit is not signed'),
  payload: described(v.string(), 'The signed text; empty if the commit is not signed'),
  signer: described(v.null(), 'Always null'),
})
export type Verification = v.InferOutput<typeof Verification>

/** This server has no keys to check signatures: for a signed commit it answers that it found none. */
export function printVerification({ signature, payload }: StoredCommit): Verification {
  const isSigned = signature !== ''
  const reason = isSigned ? 'gpg.error.no_gpg_keys_found' : 'gpg.error.not_signed_commit'
  return { verified: false, reason, signature, payload, signer: null }
}
