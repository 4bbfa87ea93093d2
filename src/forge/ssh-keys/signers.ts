import type { Sql } from '../../db/sql.ts'
import type { StoredCommit } from '../../git/repository/commit.ts'
import { emailKey } from '../accounts/account-by-email-store.ts'
import { ownersOfKeys } from './signer-store.ts'
import { parseSshSignature } from './ssh-signature.ts'

/** Who has signed a commit. */
export interface Signer {
  /** Name of the account. */
  name: string
  /** Address in the commit, which the account has activated. */
  email: string
  /** Of the key. */
  fingerprint: string
}

/**
 * The signers of commits, by the ids of the commits. A signature counts if its key and the address of the committer
 * belong to the same account, as both are then proved: by the key, and by the mail that activated the address.
 */
export async function signersOf(
  sql: Sql,
  commits: readonly StoredCommit[],
): Promise<ReadonlyMap<string, Signer>> {
  const candidates = commits.flatMap((commit) => {
    const signature = parseSshSignature(commit.signature)
    return signature ? [{ ...commit.committer, id: commit.id, signed: commit.signed, signature }] : []
  })
  if (candidates.length === 0) return new Map()
  const fingerprints = candidates.map(({ signature }) => signature.fingerprint)
  const owners = await ownersOfKeys(
    sql,
    fingerprints,
    candidates.map(({ email }) => emailKey(email)),
  )
  const signers = candidates.flatMap(({ id, email, signed, signature }) => {
    const { fingerprint } = signature
    const owner = owners.find((row) => row.fingerprint === fingerprint && row.email_key === emailKey(email))
    const isSigned = owner !== undefined && signature.signs(signed)
    return isSigned ? [[id, { name: owner.name, email, fingerprint }] as const] : []
  })
  return new Map(signers)
}
