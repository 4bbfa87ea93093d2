import { emitEvents } from '../../background/domain-events.ts'
import type { Begin, Sql, Tx } from '../../db/sql.ts'
import type { RefUpdate } from '../../git/http/http.ts'
import type { OpenRepository } from '../../git/program/git.ts'
import { isNotesRef, isZeroId } from '../../git/program/names.ts'
import type { GitOutcome } from '../../git/program/outcome.ts'
import { countRefs } from '../../git/repository/cache/ref-files.ts'
import { type Push, readPush } from '../../git/repository/history.ts'
import { listRefs, setHeadBranch } from '../../git/repository/refs.ts'
import { resolveRef } from '../../git/repository/revisions.ts'
import type { Account } from '../accounts/account-store.ts'
import { type Actor, record, repositoryTarget } from '../audit/audit-trail.ts'
import { type GitService, problemOf } from '../git-service.ts'
import { lockChangedPulls, type PullChanges, publishPullChanges, readPullChanges } from '../pulls/pushed.ts'
import { licensesAt } from '../repos/licenses/license-files.ts'
import { withdrawReleases } from '../repos/release-store.ts'
import { repositoryToMeasure } from '../repos/repo-query-store.ts'
import {
  folderOf,
  lockRepository,
  type Measured,
  type Repository,
  updatePushed,
} from '../repos/repo-store.ts'
import type { LicenseDetector } from '../templates/license-detector.ts'
import { deletePublished } from './journal-store.ts'
import { type NamedUpdate, type RefUpdateWithCommits, refUpdatedEvents, withUsernames } from './ref-events.ts'

/** The tools that publish pushes; `root`: the public base URL of links. */
export interface PushTools {
  gitService: GitService
  licenseDetector: LicenseDetector
  root: string
}

/** A push that git has carried out. */
export interface PushContext {
  sql: Sql
  begin: Begin
  tools: PushTools
  /** Its id in the journal. */
  push: string
  repository: number
  owner: Account
  sender: Account
  /** The sender, and from where, for the audit trail. */
  by: Actor
  /** Base URL of links. */
  host: string
  /** Whether git has finished; then all journal rows of the push are deleted. */
  isOver: boolean
  /** Whether git reported the updates; otherwise the state of the disk proves them. */
  isReportedByGit: boolean
  /** Its other refs, which git may still move. */
  pending?: readonly RefUpdate[]
  known?: KnownCommits | undefined
  /** Bytes of the files that it has added to the repository; absent: the repository is measured. */
  written?: number | undefined
}

/** The commits of refs by name that need not be read when the push is published. */
export type KnownCommits = ReadonlyMap<string, Promise<GitOutcome<Push>>>

/** Maximum commits that the events of a ref list, and those that are counted, for a new branch and for any other push. */
const shown = { created: { maxCommits: 5, count: 10 }, moved: { maxCommits: 5, count: 10_000 } }

/** Maximum refs of a push whose commits are read; each takes up to two runs of git. Branches come first. */
const maxRefsRead = 50

/** Refs published per transaction; with a single connection, other transactions wait for it. */
const refsPerTransaction = 100

/** The state of the repository, read before the transactions. */
interface DiskState {
  before: Repository
  measured: Measured
  /** The branch that HEAD is to point to, if the repository still has no branch. */
  newHeadBranch: string | undefined
}

/**
 * Updates the repository's row and publishes events of the refs that are still unpublished; git is queried before the
 * transactions. Of very many refs, the later ones are published without their commits, and several transactions share
 * the work: after a crash the rest is still in the journal.
 * @throws Problem 503 when git is stopped together with the server
 */
export async function publishPush(context: PushContext, updates: readonly RefUpdate[]): Promise<void> {
  // While git ran, the repository may have been renamed or deleted.
  const before = await repositoryToMeasure(context.sql, context.repository)
  if (!before) return
  const repository = context.tools.gitService.repositories.open(folderOf(before))
  if (!repository) return
  const changes: RefUpdateWithCommits[] = []
  const pushedRefs = { updates, defaultRef: `refs/heads/${before.default_branch}`, known: context.known }
  for (const update of updates)
    changes.push(
      changes.length < maxRefsRead
        ? await readCommits(repository, update, pushedRefs)
        : { update, commits: [], total: 0 },
    )
  const named = await withUsernames(context.sql, changes)
  const state = await readDiskState(context, repository, before, updates)
  const pushed = { sql: context.sql, tools: context.tools, id: before.id, repository }
  const pulls = await readPullChanges(pushed, before, updates, changes)
  for (let at = 0; at < named.length; at += refsPerTransaction) {
    const isLast = at + refsPerTransaction >= named.length
    await context.begin((tx) =>
      publish(tx, context, state, { changes: named.slice(at, at + refsPerTransaction), pulls, isLast }),
    )
  }
}

/** The refs of a push. */
interface PushedRefs {
  updates: readonly RefUpdate[]
  /** The full name of the default branch. */
  defaultRef: string
  known: KnownCommits | undefined
}

async function readCommits(
  repository: OpenRepository,
  update: RefUpdate,
  pushed: PushedRefs,
): Promise<RefUpdateWithCommits> {
  if (isZeroId(update.after) || isNotesRef(update.ref)) return { update, commits: [], total: 0 }
  const isTag = update.ref.startsWith('refs/tags/')
  const read = pushed.known?.get(update.ref) ?? (isTag ? headOf : readBranch)(repository, update, pushed)
  const added = readOrNone(await read)
  // The head is also sent if no commit is new: after a forced push back, and of a branch at a commit of another one.
  if (isTag || added.commits.length > 0) return { update, ...added }
  const [head] = readOrNone(await headOf(repository, update)).commits
  return { update, ...added, head }
}

const readBranch = (repository: OpenRepository, update: RefUpdate, pushed: PushedRefs) =>
  isZeroId(update.before)
    ? readPush(repository, { ...update, ...shown.created, without: knownElsewhere(update, pushed) })
    : readMoved(repository, update)

const readMoved = (repository: OpenRepository, update: RefUpdate) =>
  readPush(repository, { ...update, ...shown.moved })

/**
 * Begins to read the commits of branches that exist and move, so that git reads while it is decided whether they may.
 */
export const readAhead = (repository: OpenRepository, updates: readonly RefUpdate[]): KnownCommits =>
  new Map(
    updates
      .filter(
        ({ ref, before, after }) => ref.startsWith('refs/heads/') && !isZeroId(before) && !isZeroId(after),
      )
      .map((update) => [update.ref, readMoved(repository, update)]),
  )

const headOf = (repository: OpenRepository, { after }: RefUpdate) =>
  readPush(repository, { before: '0'.repeat(after.length), after, maxCommits: 1, count: 1 })

function readOrNone(read: GitOutcome<Push>): Push {
  // The server is stopping: the push stays in the journal and is published at the next start.
  if (!read.ok && read.fault.kind === 'cancelled') throw problemOf(read.fault)
  // Commits that a later forced push has removed cannot be read: publish without them.
  return read.ok ? read.value : { commits: [], total: 0 }
}

/**
 * The commits that a new branch does not bring: those of the default branch, and of all other branches that this push does
 * not create.
 */
function knownElsewhere({ ref }: RefUpdate, { updates, defaultRef }: PushedRefs): string[] {
  const created = updates.filter((each) => isZeroId(each.before) && each.ref.startsWith('refs/heads/'))
  const others = ['--not', ...created.map((each) => `--exclude=${shortName(each.ref)}`), '--branches']
  return [
    ...(ref === defaultRef ? [] : ['--ignore-missing', `^${defaultRef}`]),
    ...(created.length > maxRefsRead ? [] : others),
  ]
}

const shortName = (ref: string) => ref.slice('refs/heads/'.length)

/** Reads the current state of the repository from disk. */
async function readDiskState(
  { tools, pending = [], written }: PushContext,
  repository: OpenRepository,
  before: Repository & { look: number },
  updates: readonly RefUpdate[],
): Promise<DiskState> {
  const { look, is_empty, branch_count, licenses: stored } = before
  // Measuring takes a look at each file. What gets lost between two commits at once comes back when it is measured again.
  const size =
    written === undefined
      ? await tools.gitService.repositories.bytes(folderOf(before))
      : before.size + written
  // In an empty repository, the branches decide where HEAD points.
  const branches =
    (is_empty ? undefined : await countBranches(repository, before)) ??
    (await listBranches(repository, before, { updates, pending }))
  // Nothing is stored if the refs cannot be read: `look` 0 is lower than every stored number.
  if (!branches) {
    const measured = { size, is_empty, branch_count, licenses: stored, look: 0 }
    return { before, measured, newHeadBranch: undefined }
  }
  const { count, head, newHeadBranch } = branches
  const detected = await licensesAt(repository, head, tools.licenseDetector)
  const licenses = detected.ok ? detected.value : stored
  return {
    before,
    measured: { size, is_empty: count === 0, branch_count: count, licenses, look },
    newHeadBranch,
  }
}

/** The branches of a repository on disk. */
interface Branches extends Pick<DiskState, 'newHeadBranch'> {
  count: number
  /** The commit of the default branch. */
  head: string | undefined
}

/** Counts the branches without a run of git; undefined if that is impossible. */
async function countBranches(
  repository: OpenRepository,
  { default_branch }: Repository,
): Promise<Branches | undefined> {
  const count = await countRefs(repository.directory, 'heads')
  if (count === undefined) return undefined
  const head = await resolveRef(repository, `refs/heads/${default_branch}`)
  return head.ok ? { count, head: head.value, newHeadBranch: undefined } : undefined
}

/** Lists the branches, which takes a run of git; undefined if git fails. */
async function listBranches(
  repository: OpenRepository,
  { is_empty, default_branch }: Repository,
  { updates, pending }: { updates: readonly RefUpdate[]; pending: readonly RefUpdate[] },
): Promise<Branches | undefined> {
  const listed = await listRefs(repository, ['refs/heads'])
  if (!listed.ok) return undefined
  const branches = new Map(listed.value.map(({ name, id }) => [shortName(name), id]))
  const created = updates.find(({ ref, after }) => ref.startsWith('refs/heads/') && !isZeroId(after))
  // A push in progress may bring the default branch later than others.
  const isHeadComing = pending.some(({ ref }) => ref === `refs/heads/${default_branch}`)
  const isHeadMissing = is_empty && !branches.has(default_branch) && !isHeadComing
  const newHeadBranch = isHeadMissing && created ? shortName(created.ref) : undefined
  return { count: branches.size, head: branches.get(newHeadBranch ?? default_branch), newHeadBranch }
}

async function publish(
  tx: Tx,
  context: PushContext,
  state: DiskState,
  { changes, pulls, isLast }: { changes: readonly NamedUpdate[]; pulls: PullChanges; isLast: boolean },
): Promise<void> {
  const { push, repository, owner, sender, by, host, tools, isOver, isReportedByGit } = context
  const branch = state.newHeadBranch && (await pointHeadAt(tx, context, state.before, state.newHeadBranch))
  const updates = changes.map(({ update }) => update)
  await lockChangedPulls(tx, repository, pulls, updates)
  const [row, unpublished] = await Promise.all([
    updatePushed(tx, repository, state.measured, branch),
    deletePublished(
      tx,
      { push, repository_id: repository },
      { updates, isReportedByGit, isOver: isOver && isLast },
    ),
  ])
  if (!row) return
  const facts = { row, owner, sender, host, root: tools.root, wasEmpty: state.before.is_empty }
  // Nobody hears of notes, as in the original: they are neither a branch nor a tag.
  const published = changes.filter(({ update: { ref } }) => unpublished.has(ref) && !isNotesRef(ref))
  const refs = updates.filter(({ ref }) => unpublished.has(ref))
  if (refs.length > 0)
    await record(tx, by, { action: 'code.pushed', target: repositoryTarget(row, owner), details: { refs } })
  await withdrawReleases(tx, repository, deletedTags(published))
  await emitEvents(tx, refUpdatedEvents(facts, published))
  await publishPullChanges(
    tx,
    { sender, host, tools, id: repository },
    { ...pulls, updates, refs: unpublished },
  )
}

/** Short names. */
const deletedTags = (changes: readonly NamedUpdate[]) =>
  changes.flatMap(({ update: { ref, after } }) =>
    ref.startsWith('refs/tags/') && isZeroId(after) ? ref.slice('refs/tags/'.length) : [],
  )

/**
 * Points HEAD at the first branch of a repository that had none. Of concurrent pushes, the one that locks the row first
 * decides. Returns the branch if HEAD was changed.
 */
async function pointHeadAt(tx: Tx, { tools }: PushContext, before: Repository, branch: string) {
  const row = await lockRepository(tx, before.id)
  if (!row?.is_empty || row.default_branch !== before.default_branch) return undefined
  const path = tools.gitService.repositories.path(folderOf(row)) ?? ''
  return (await setHeadBranch(path, branch)).ok ? branch : undefined
}
