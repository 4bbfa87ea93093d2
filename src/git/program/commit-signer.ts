/** The key with which the server signs the commits that it makes. */
export interface CommitSigner {
  /** `SHA256:…`, as `ssh-keygen -l` prints it. */
  readonly fingerprint: string
  /** As in a file of `authorized_keys`. */
  readonly publicKey: string
  /** The signature of a text, in its armor. */
  readonly sign: (text: Buffer) => string
}

/** A commit object with its signature as the last header; as it is without a key. `isSha256`: the format of its repository. */
export function signedCommit(content: Buffer, signer: CommitSigner | undefined, isSha256: boolean): Buffer {
  if (!signer) return content
  const end = content.indexOf('\n\n')
  const header = isSha256 ? 'gpgsig-sha256' : 'gpgsig'
  const signature = signer.sign(content).trimEnd().replaceAll('\n', '\n ')
  return Buffer.concat([
    content.subarray(0, end),
    Buffer.from(`\n${header} ${signature}`),
    content.subarray(end),
  ])
}
