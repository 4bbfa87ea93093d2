import { type Signature, signatureLine } from './first-commit.ts'

/** A commit to be written. */
interface NewCommit {
  /** Object ids. */
  tree: string
  parents: readonly string[]
  author: Signature
  committer: Signature
  message: string
}

/** The content of a commit object. */
export function commitObject({ tree, parents, author, committer, message }: NewCommit): Buffer {
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${signatureLine(author)}`,
    `committer ${signatureLine(committer)}`,
    '',
    message.replaceAll('\0', ''),
  ]
  return Buffer.from(lines.join('\n'))
}
