import { done } from '../../common/outcome.ts'
import { signedCommit } from '../program/commit-signer.ts'
import type { OpenRepository } from '../program/git.ts'
import { isBranchName, isTreePath } from '../program/names.ts'
import { fault, type GitFault, type GitOutcome } from '../program/outcome.ts'

/** The author or committer of a commit, and the time. */
export interface Signature {
  name: string
  email: string
  at: Date
}

/** A commit without a parent, and its branch. */
export interface FirstCommit {
  /** Short name. */
  branch: string
  author: Signature
  committer: Signature
  message: string
  /** Relative paths with `/`. */
  files: readonly { path: string; content: string | Buffer }[]
}

/** The commit as input for git-fast-import(1), which then prints its id; or the fault in it. */
export function fastImport(commit: FirstCommit): Buffer | GitFault {
  if (!isBranchName(commit.branch)) return fault('name', `not a branch name: ${commit.branch}`).fault
  const invalid = commit.files.find(({ path }) => !isTreePath(path))
  if (invalid) return fault('name', `not a path for a commit: ${invalid.path}`).fault
  const files = commit.files.flatMap(({ path, content }) => [
    `M 100644 inline ${quoted(path)}\n`,
    ...data(content),
  ])
  const parts = [
    'feature done\n',
    `commit refs/heads/${commit.branch}\nmark :1\n`,
    `author ${signatureLine(commit.author)}\ncommitter ${signatureLine(commit.committer)}\n`,
    ...data(commit.message.replaceAll('\0', '')),
    ...files,
    'get-mark :1\ndone\n',
  ]
  return Buffer.concat(parts.map((part) => Buffer.from(part)))
}

/**
 * Signs an imported commit with the key of the server; gives the id of the signed one, to which no ref points yet, or the
 * same id without a key. Faults: those of git.
 */
export async function signImported(
  { git, directory }: OpenRepository,
  id: string,
): Promise<GitOutcome<string>> {
  if (!git.signer) return done(id)
  const read = await git.run(directory, ['cat-file', 'commit', id])
  if (!read.ok) return read
  const input = signedCommit(read.value, git.signer, id.length === 64)
  const written = await git.run(directory, ['hash-object', '-t', 'commit', '-w', '--stdin'], { input })
  return written.ok ? done(written.value.toString('latin1').trim()) : written
}

function data(content: string | Buffer): (string | Buffer)[] {
  const bytes = Buffer.from(content)
  return [`data ${bytes.length}\n`, bytes, '\n']
}

/** A commit to write as an object. */
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

const quoted = (path: string) => `"${path.replaceAll('"', '\\"')}"`

/** Name and address, and the time, as commits and tags have them. */
export const signatureLine = ({ at, ...who }: Signature) =>
  `${identityLine(who)} ${Math.trunc(at.getTime() / 1000)} +0000`

/** Removes characters that would break the line, as git itself does, and replaces an empty name, which git rejects. */
export function identityLine({ name, email }: Pick<Signature, 'name' | 'email'>): string {
  const plain = (text: string) => text.replace(/[\x00-\x1f\x7f<>]/g, '').trim()
  return `${plain(name) || 'unknown'} <${plain(email)}>`
}
