import * as v from 'valibot'
import { shape } from '../../../http/route/validate.ts'
import { described } from '../../../http/route/values.ts'
import { ZERO_TIME } from '../../protocol/time.ts'
import { serverSigner } from '../../ssh-keys/signers.ts'
import { CommitMeta, CommitUser, printCommitMeta } from '../commit.shape.ts'
import { ContentsResponse } from '../contents/contents.shape.ts'
import { printVerification, Verification } from '../verification.shape.ts'
import type { Committed } from './commit-files.ts'

/** FileCommitResponse of the original. */
const FileCommitResponse = shape('FileCommitResponse', {
  url: v.string(),
  sha: v.string(),
  created: described(v.string(), 'Always the year 1'),
  html_url: v.string(),
  author: CommitUser,
  committer: CommitUser,
  parents: v.array(CommitMeta),
  message: v.string(),
  tree: CommitMeta,
})

const aboutCommit = { commit: FileCommitResponse, verification: Verification }

/** FileResponse of the original. */
export const FileResponse = shape('FileResponse', {
  content: described(v.nullable(ContentsResponse), 'The file; null after a patch, which may change several'),
  ...aboutCommit,
})

/** FileDeleteResponse of the original. */
export const FileDeleteResponse = shape('FileDeleteResponse', {
  content: described(v.null(), 'Always null'),
  ...aboutCommit,
})

/** FilesResponse of the original. */
export const FilesResponse = shape('FilesResponse', {
  files: described(v.array(v.nullable(ContentsResponse)), 'The first 30; null for one that was deleted'),
  ...aboutCommit,
})

/** The members of answers about the commit. */
export function printCommitted({ code, commit }: Committed) {
  const { id, author, committer, parents, message, tree } = commit
  const userOf = ({ name, email, at }: typeof author) => ({ name, email, date: at })
  return {
    commit: {
      ...printCommitMeta(code, id, ZERO_TIME),
      html_url: `${code.home}/commit/${id}`,
      author: userOf(author),
      committer: userOf(committer),
      parents: parents.map((parent) => printCommitMeta(code, parent, ZERO_TIME)),
      message,
      tree: { url: `${code.api}/git/trees/${tree}`, sha: tree, created: ZERO_TIME },
    },
    verification: printVerification(commit, serverSigner(code.git.signer)),
  }
}
