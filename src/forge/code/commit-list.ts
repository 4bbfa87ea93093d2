import { LRUCache } from 'lru-cache'
import { readCommitObject } from '../../git/repository/commit.ts'
import {
  type Changes,
  countCommits,
  type Listing,
  listChanges,
  type Selection,
} from '../../git/repository/commit-list.ts'
import { accountsByEmail } from '../accounts/account-by-email-store.ts'
import { queryFilter } from '../protocol/query.ts'
import { type Code, type CodeContext, gitValue } from './code.ts'
import { type Commit, printCommit } from './commit.shape.ts'

/** Which parts of commits are shown: those that are not turned off. */
export const partsQuery = { verification: queryFilter, files: queryFilter }
export const allPartsQuery = { stat: queryFilter, ...partsQuery }

interface Parts {
  stat: boolean
  verification: boolean
  files: boolean
}

/** What the query turns off is false. */
export const partsOf = (query: {
  stat?: boolean | undefined
  verification?: boolean | undefined
  files?: boolean | undefined
}): Parts => ({
  stat: query.stat !== false,
  verification: query.verification !== false,
  files: query.files !== false,
})

/** Numbers of commits, by repository and selection: what is reachable from a commit never changes. */
const counts = new LRUCache<string, number>({ max: 10_000 })

/** The number of commits; git counts those of a selection once. @throws Problem 404, 503 */
export async function commitCount(code: Code, selection: Selection): Promise<number> {
  const key = JSON.stringify([code.row.id, selection])
  const known = counts.get(key)
  if (known !== undefined) return known
  const count = gitValue(await countCommits(code, selection))
  counts.set(key, count)
  return count
}

type PrintContext = Pick<CodeContext, 'sql' | 'caller' | 'from'>

/** Commits as the API shows them. @throws Problem 404, 503 */
export async function printedCommits(
  context: PrintContext,
  code: Code,
  selection: Selection,
  { parts, ...place }: Pick<Listing, 'skip' | 'maxCommits'> & { parts: Parts },
): Promise<Commit[]> {
  const listing = { ...place, files: parts.files, stats: parts.stat }
  return printCommits(context, code, gitValue(await listChanges(code, selection, listing)), parts)
}

async function printCommits(
  { sql, caller, from }: PrintContext,
  code: Code,
  changes: readonly Changes[],
  parts: Parts,
): Promise<Commit[]> {
  const read = await Promise.all(changes.map(({ id }) => readCommitObject(code, id).then(gitValue)))
  const addresses = read.flatMap((commit) => (commit ? [commit.author.email, commit.committer.email] : []))
  const reader = { code, accounts: await accountsByEmail(sql, addresses), me: caller.me, host: from.host }
  return changes.flatMap((changed, at) => {
    const commit = read[at]
    return commit ? [printCommit(commit, changed, reader, parts)] : []
  })
}
