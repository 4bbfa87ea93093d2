import * as v from 'valibot'
import type { CommitObject, StoredCommit } from '../../git/repository/commit.ts'
import type { Changes } from '../../git/repository/commit-list.ts'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { emailKey } from '../accounts/account-by-email-store.ts'
import type { Account } from '../accounts/account-store.ts'
import { printUser, User, type Viewer } from '../accounts/user.shape.ts'
import { ZERO_TIME } from '../protocol/time.ts'
import type { Code } from '../repos/code.ts'
import type { Signer } from '../ssh-keys/signers.ts'
import { printVerification, Verification } from './verification.shape.ts'

/** Maximum commits that a comparison lists. */
export const maxCompared = 1000

/** CommitMeta of the original. */
export const CommitMeta = shape('CommitMeta', {
  url: v.string(),
  sha: v.string(),
  created: described(
    v.string(),
    'RFC 3339, with the offset that the commit has; in the year 1 if unreadable',
  ),
})
export type CommitMeta = v.InferOutput<typeof CommitMeta>

/** CommitUser of the original. */
export const CommitUser = shape('CommitUser', {
  name: v.string(),
  email: v.string(),
  date: described(v.string(), 'RFC 3339, with the offset that the commit has; empty if unreadable'),
})

/** RepoCommit of the original. */
const RepoCommit = shape('RepoCommit', {
  url: v.string(),
  author: CommitUser,
  committer: CommitUser,
  message: v.string(),
  tree: CommitMeta,
  verification: v.nullable(Verification),
})

/** CommitAffectedFiles of the original. */
const CommitAffectedFiles = shape('CommitAffectedFiles', {
  filename: v.string(),
  status: v.picklist(['added', 'removed', 'modified']),
})

/** CommitStats of the original. */
const CommitStats = shape('CommitStats', { total: int, additions: int, deletions: int })

/** Commit of the original. */
export const Commit = shape('Commit', {
  url: v.string(),
  sha: v.string(),
  created: described(v.string(), 'When it was committed; in the year 1 if unreadable'),
  html_url: v.string(),
  commit: RepoCommit,
  author: described(v.nullable(User), 'The account with the address of the author'),
  committer: described(v.nullable(User), 'The account with the address of the committer'),
  parents: v.array(CommitMeta),
  files: described(
    v.nullable(v.array(CommitAffectedFiles)),
    'Against the first parent; null if not requested or too many',
  ),
  stats: described(
    v.nullable(CommitStats),
    'Lines against the first parent; null if not requested or too many',
  ),
})
export type Commit = v.InferOutput<typeof Commit>

/** Note of the original. */
export const Note = shape('Note', {
  message: v.string(),
  commit: Commit,
})

/** Compare of the original. */
export const Compare = shape('Compare', {
  total_commits: int,
  commits: described(v.array(Commit), `Newest first, at most ${maxCompared}`),
})

/** Refers to a commit. */
export const printCommitMeta = ({ api }: Code, sha: string, created: string): CommitMeta => ({
  url: `${api}/git/commits/${sha}`,
  sha,
  created: created || ZERO_TIME,
})

/** For whom commits are printed. */
interface Reader {
  code: Code
  /** Accounts by e-mail address. */
  accounts: ReadonlyMap<string, Account>
  /** By the ids of commits. */
  signers: ReadonlyMap<string, Signer>
  me: Viewer
  /** The root of links. */
  host: string
}

export function printCommit(
  commit: StoredCommit,
  { files, stats }: Pick<Changes, 'files' | 'stats'>,
  { code, accounts, signers, me, host }: Reader,
  { verification }: { verification: boolean },
): Commit {
  const { id, tree, message, author, committer, parents } = commit
  const accountOf = ({ email }: CommitObject['author']) => {
    const account = accounts.get(emailKey(email))
    return account ? printUser(account, me, host) : null
  }
  const created = committer.at || ZERO_TIME
  return {
    ...printCommitMeta(code, id, created),
    html_url: `${code.home}/commit/${id}`,
    commit: {
      url: `${code.api}/git/commits/${id}`,
      author: printStamp(author),
      committer: printStamp(committer),
      message,
      tree: { url: `${code.api}/git/trees/${tree}`, sha: tree, created },
      verification: verification ? printVerification(commit, signers.get(id)) : null,
    },
    author: accountOf(author),
    committer: accountOf(committer),
    parents: parents.map((parent) => printCommitMeta(code, parent, ZERO_TIME)),
    files: files?.map(({ path, status }) => ({ filename: path, status })) ?? null,
    stats: stats ? { total: stats.additions + stats.deletions, ...stats } : null,
  }
}

/** The person and time of a commit or tag. */
export const printStamp = ({ name, email, at }: CommitObject['author']) => ({ name, email, date: at })
