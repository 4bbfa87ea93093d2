import type { Sql } from '../../db/sql.ts'
import type { StoredCommit } from '../../git/repository/commit.ts'
import { emailKey } from '../accounts/account-by-email-store.ts'
import { type SigningGpgKey, signingGpgKeys } from '../openpgp/gpg-key-store.ts'
import { publicKeyIn } from '../openpgp/public-key.ts'
import { isSignedBy, parseSignature, type Signature } from '../openpgp/signature.ts'

/** What of a commit its signature is about. */
export type Signed = Pick<StoredCommit, 'id' | 'committer' | 'signature' | 'signed'>

/** The account that has signed, its address in the commit, and the key id. */
interface GpgSigner {
  name: string
  email: string
  key: string
}

/**
 * The signers of commits by OpenPGP keys. The address of the committer must be one of the key, too, unless the account has
 * proved that the key is its own: anybody may add what others have published. A key counts for what it signed before it
 * ended, so that old commits stay what they were.
 */
export async function gpgSignersOf(
  sql: Sql,
  commits: readonly Signed[],
): Promise<readonly (readonly [id: string, GpgSigner])[]> {
  const candidates = commits.flatMap(({ id, signature, signed, committer: { email } }) => {
    const parsed = parseSignature(signature)
    return parsed ? [{ id, email, signed, signature: parsed }] : []
  })
  if (candidates.length === 0) return []
  const keys = await signingGpgKeys(
    sql,
    candidates.map(({ signature }) => signature.issuer),
    candidates.map(({ email }) => emailKey(email)),
  )
  return candidates.flatMap(({ id, email, signed, signature }): [string, GpgSigner][] => {
    const key = keys.find((row) => mayHaveSigned(row, signature, email) && hasSigned(row, signature, signed))
    return key ? [[id, { name: key.name, email, key: key.key_id }]] : []
  })
}

function mayHaveSigned(key: SigningGpgKey, { issuer, created }: Signature, email: string): boolean {
  const at = created * 1000
  const isValid =
    at >= Date.parse(key.created_at) && (key.expires_at === null || at < Date.parse(key.expires_at))
  const isNamed = key.is_verified || key.emails.some((each) => emailKey(each) === emailKey(email))
  return isValid && isNamed && key.key_id === issuer && key.email_key === emailKey(email)
}

function hasSigned({ packet }: SigningGpgKey, signature: Signature, text: Buffer): boolean {
  const key = publicKeyIn(packet)
  return key !== undefined && isSignedBy(key, signature, text)
}
