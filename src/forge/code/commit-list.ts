import { readCommitObject } from '../../git/repository/commit.ts'
import {
  type Changes,
  countCommits,
  type Listing,
  listChanges,
  type Selection,
} from '../../git/repository/commit-list.ts'
import { found } from '../../http/route/problem.ts'
import { accountsByEmail } from '../accounts/account-by-email-store.ts'
import { queryFilter } from '../protocol/query.ts'
import { type Code, type CodeContext, gitValue } from '../repos/code.ts'
import { signersOf } from '../ssh-keys/signers.ts'
import { type Commit, printCommit } from './commit.shape.ts'

/** Parameters that leave out parts of commits. */
export const partsQuery = { verification: queryFilter, files: queryFilter }
export const allPartsQuery = { stat: queryFilter, ...partsQuery }

type Part = 'stat' | 'verification' | 'files'
type Parts = Record<Part, boolean>
type PartsQuery = { [Name in Part]?: boolean | undefined }

/** Which parts of commits are shown: those that the query does not turn off. */
export const partsOf = (query: PartsQuery): Parts => ({
  stat: query.stat !== false,
  verification: query.verification !== false,
  files: query.files !== false,
})

/** The number of commits of a selection. @throws Problem 404, 503 */
export const commitCount = async (code: Code, selection: Selection): Promise<number> =>
  gitValue(await countCommits(code, selection))

type PrintContext = Pick<CodeContext, 'sql' | 'caller' | 'from'>

/** Commits as the API shows them. @throws Problem 404, 503 */
export async function printedCommits(
  context: PrintContext,
  code: Code,
  selection: Selection,
  { parts, ...span }: Pick<Listing, 'skip' | 'maxCommits'> & { parts: Parts },
): Promise<Commit[]> {
  const listing = { ...span, files: parts.files, stats: parts.stat }
  return printCommits(context, code, gitValue(await listChanges(code, selection, listing)), parts)
}

/** One commit as the API shows it. @throws Problem 404, 503 */
export async function printedCommit(
  context: PrintContext,
  code: Code,
  tip: string,
  query: PartsQuery,
): Promise<Commit> {
  const listing = { skip: 0, maxCommits: 1, parts: partsOf(query) }
  return found((await printedCommits(context, code, { tip }, listing))[0])
}

async function printCommits(
  { sql, caller, from }: PrintContext,
  code: Code,
  changes: readonly Changes[],
  parts: Parts,
): Promise<Commit[]> {
  const read = await Promise.all(changes.map(({ id }) => readCommitObject(code, id).then(gitValue)))
  const addresses = read.flatMap((commit) => (commit ? [commit.author.email, commit.committer.email] : []))
  const [accounts, signers] = await Promise.all([
    accountsByEmail(sql, addresses),
    signersOf(sql, parts.verification ? read.flatMap((commit) => commit ?? []) : [], code.git.signer),
  ])
  const reader = { code, accounts, signers, me: caller.me, host: from.host }
  return changes.flatMap((changed, at) => {
    const commit = read[at]
    return commit ? [printCommit(commit, changed, reader, parts)] : []
  })
}
