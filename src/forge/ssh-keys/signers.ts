import type { Sql } from '../../db/sql.ts'
import type { CommitSigner } from '../../git/program/commit-signer.ts'
import { emailKey } from '../accounts/account-by-email-store.ts'
import { gpgSignersOf, type Signed } from './gpg-signatures.ts'
import { ownersOfKeys } from './signer-store.ts'
import { parseSshSignature } from './ssh-signature.ts'

/** Who has signed a commit. */
export interface Signer {
  /** Name of the account, or of this server. */
  name: string
  /** Whether this server has signed it, for somebody who has signed in. */
  isServer: boolean
  /** Address in the commit, which the account has activated. */
  email: string
  /** The fingerprint of an SSH key, or the key id of OpenPGP. */
  key: string
}

/** This server as the signer of what it makes; undefined: it has no key. */
export const serverSigner = (key: Pick<CommitSigner, 'fingerprint'> | undefined): Signer | undefined =>
  key && { name: 'Forgehall', isServer: true, email: '', key: key.fingerprint }

/**
 * The signers of commits, by the ids of the commits. A signature counts if its key and the address of the committer
 * belong to the same account, as both are then proved: by the key, and by the mail that activated the address; or if it is
 * that of this server, which signs what it makes for people who have signed in.
 */
export async function signersOf(
  sql: Sql,
  commits: readonly Signed[],
  server: Pick<CommitSigner, 'fingerprint'> | undefined,
): Promise<ReadonlyMap<string, Signer>> {
  const [bySsh, byGpg] = await Promise.all([sshSignersOf(sql, commits, server), gpgSignersOf(sql, commits)])
  return new Map([...bySsh, ...byGpg.map(([id, signer]) => [id, { ...signer, isServer: false }] as const)])
}

async function sshSignersOf(
  sql: Sql,
  commits: readonly Signed[],
  server: Pick<CommitSigner, 'fingerprint'> | undefined,
): Promise<readonly [id: string, Signer][]> {
  const candidates = commits.flatMap((commit) => {
    const signature = parseSshSignature(commit.signature)
    return signature ? [{ ...commit.committer, id: commit.id, signed: commit.signed, signature }] : []
  })
  if (candidates.length === 0) return []
  const fingerprints = candidates.map(({ signature }) => signature.fingerprint)
  const owners = await ownersOfKeys(
    sql,
    fingerprints,
    candidates.map(({ email }) => emailKey(email)),
  )
  return candidates.flatMap(({ id, email, signed, signature }): [string, Signer][] => {
    const { fingerprint } = signature
    const byServer = serverSigner(server)
    if (fingerprint === byServer?.key) return signature.signs(signed) ? [[id, byServer]] : []
    const owner = owners.find((row) => row.fingerprint === fingerprint && row.email_key === emailKey(email))
    const isSigned = owner !== undefined && signature.signs(signed)
    return isSigned ? [[id, { name: owner.name, isServer: false, email, key: fingerprint }]] : []
  })
}
