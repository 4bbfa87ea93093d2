import type { Tx } from '../../db/sql.ts'
import type { RefUpdate } from '../../git/http/http.ts'
import type { OpenRepository } from '../../git/program/git.ts'
import { isZeroId } from '../../git/program/names.ts'
import { commitsOfMove } from '../../git/repository/received.ts'
import { accountById } from '../accounts/account-store.ts'
import { recordHappenings } from '../issue-events/event-store.ts'
import { closeIssues } from '../issues/closing.ts'
import { type DoneIssue, doneIn, numbersIn } from '../issues/closing-words.ts'
import { gitValue } from '../repos/code.ts'
import { type Repository, repositoryById } from '../repos/repo-store.ts'
import type { PushSender } from './deleted-branches.ts'
import type { PushedMerge } from './merging/pushed-merges.ts'
import { actingAs } from './pull-events.ts'
import { closableIssues, issuesToRefer } from './pushed-references-store.ts'

/** What the messages of pushed commits say about issues: they refer to them, and on the default branch close them. */

/** A commit whose message names issues. */
interface NamingCommit {
  id: string
  message: string
}

/** The commits that a push adds to a branch, as far as they have been read. */
export interface AddedCommits {
  update: RefUpdate
  commits: readonly NamingCommit[]
  /** How many there are. */
  total: number
}

/** The commits of a branch whose messages name issues, oldest first. */
export interface BranchReferences {
  ref: string
  commits: readonly NamingCommit[]
}

const prefix = 'refs/heads/'
/** Maximum commits of a push whose messages are read. */
const maxCommits = 1000

/** @throws Problem 503 */
export async function readReferences(
  repository: OpenRepository,
  changes: readonly AddedCommits[],
): Promise<BranchReferences[]> {
  const references: BranchReferences[] = []
  for (const change of changes) {
    const { ref, after } = change.update
    if (!ref.startsWith(prefix) || isZeroId(after) || change.total === 0) continue
    const commits = (await messagesOf(repository, change)).filter(({ message }) => /[#!]\d/.test(message))
    if (commits.length > 0) references.push({ ref, commits: commits.toReversed() })
  }
  return references
}

/** Of a new branch, only those that its event has: the others are known by other branches most often. */
async function messagesOf(
  repository: OpenRepository,
  { update, commits, total }: AddedCommits,
): Promise<readonly NamingCommit[]> {
  if (total <= commits.length || isZeroId(update.before)) return commits
  const read: NamingCommit[] = []
  for await (const some of commitsOfMove(repository, update)) {
    // More commits than are ever read: those at hand remain.
    if (!some.ok && some.fault.kind === 'large') return commits
    read.push(...gitValue(some).map(({ id, message }) => ({ id, message })))
    if (read.length >= maxCommits) break
  }
  return read.slice(0, maxCommits)
}

/**
 * Records references to issues of the repository, and closes issues if the branch is the default one. The commit of a merge
 * refers to its own pull request by that alone.
 */
export async function publishReferences(
  tx: Tx,
  by: PushSender,
  references: readonly BranchReferences[],
  merges: readonly Pick<PushedMerge, 'commit_id' | 'number'>[],
): Promise<void> {
  for (const { ref, commits } of references) {
    for (const commit of commits) await refer(tx, by, commit, merges)
    const done = commits.flatMap(({ id, message }) =>
      doneIn(message).map((issue) => ({ ...issue, commit: id })),
    )
    const row = done.length === 0 ? undefined : await repositoryById(tx, by.id)
    if (row && ref === `${prefix}${row.default_branch}`) await closeNamed(tx, by, row, done)
  }
}

async function refer(
  tx: Tx,
  { id: repository, sender }: PushSender,
  { id, message }: NamingCommit,
  merges: readonly Pick<PushedMerge, 'commit_id' | 'number'>[],
): Promise<void> {
  const own = merges.filter(({ commit_id }) => commit_id === id).map(({ number }) => number)
  const numbers = numbersIn(message).filter((number) => !own.includes(number))
  if (numbers.length === 0) return
  const [title = ''] = message.split('\n', 1)
  for (const issue of await issuesToRefer(tx, { repository, commit: id }, numbers))
    await recordHappenings(tx, { issue: issue.id, actor: sender.id }, [
      { type: 'commit_ref', old_text: id, new_text: title.slice(0, 255) },
    ])
}

async function closeNamed(
  tx: Tx,
  by: PushSender,
  row: Repository,
  done: readonly (DoneIssue & { commit: string })[],
): Promise<void> {
  const owner = await accountById(tx, row.owner_id)
  if (!owner) return
  const own = `${owner.name}/${row.name}`.toLowerCase()
  for (const path of [...new Set(done.map((mention) => mention.path ?? own))].toSorted()) {
    const here = done.filter((mention) => (mention.path ?? own) === path)
    // The oldest commit closes an issue: of equal keys a map keeps the last.
    const commits = new Map(here.toReversed().map(({ number, commit }) => [number, commit]))
    await closeIn(tx, by, { path, branch: path === own ? row.default_branch : null }, commits)
  }
}

/** Closes issues of one repository, as far as the sender may. `branch`: null in another repository. */
async function closeIn(
  tx: Tx,
  { sender, host, tools }: PushSender,
  { path, branch }: { path: string; branch: string | null },
  commits: ReadonlyMap<number, string>,
): Promise<void> {
  const [owner = '', name = ''] = path.split('/')
  const at = { path: { owner, name }, account: sender.id, branch }
  const issues = await closableIssues(tx, at, [...commits.keys()])
  const [first] = issues
  const base = first && (await repositoryById(tx, first.repository_id))
  const account = first && (await accountById(tx, first.owner_id))
  if (!base || !account) return
  const context = actingAs({ sender, owner: account, base }, { gitService: tools.gitService, host })
  const closable = new Set(issues.map(({ number }) => number))
  await closeIssues(tx, context, new Map([...commits].filter(([number]) => closable.has(number))))
}
