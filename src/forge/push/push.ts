import type { Begin, Sql, Tx } from '../../db/sql.ts'
import type { RefUpdate } from '../../git/http/http.ts'
import { isZeroId } from '../../git/program/names.ts'
import { readPush } from '../../git/repository/history.ts'
import { listRefs, setHeadBranch } from '../../git/repository/refs.ts'
import type { Account } from '../accounts/account.ts'
import { type GitService, problemOf } from '../repos/git-service.ts'
import {
  folderOf,
  lockRepository,
  type Measured,
  type Repository,
  repositoryToMeasure,
  updatePushed,
} from '../repos/repo-store.ts'
import { emitHooks } from '../webhooks/events.ts'
import { deleteTold } from './journal.ts'
import { type Brought, pushMessages } from './messages.ts'

/** What pushes need of the forge: git, and the public root URL of links. */
export interface PushTools {
  gitService: GitService
  root: string
}

/** A push that git has done. */
export interface Pushing {
  sql: Sql
  begin: Begin
  tools: PushTools
  /** Under which it stands in the journal. */
  push: string
  repository: number
  owner: Account
  sender: Account
  /** Root of links. */
  host: string
  /** Whether git is done with it: then nothing of it stays in the journal. */
  isOver: boolean
  /** Whether git has said what was done; otherwise the disk shows it. */
  isSaid: boolean
}

/** Commits that a new branch counts at most, and that another push does. */
const counted = { created: 10, moved: 10_000 }

/** Refs of one push whose commits are read, which takes two runs of git each; branches come first. */
const mostRead = 50

/** Refs that are told of in one transaction, which others wait for where there is one connection. */
const toldAtOnce = 100

/** What was found out before the transactions. */
interface Seen {
  before: Repository
  measured: Measured
  /** The branch that HEAD is to follow, if the repository still has none. */
  follows: string | undefined
}

/**
 * Brings the row up to date and tells of the refs that nobody has told of yet; what must be asked of git is asked before
 * the transaction. Of very many refs the later ones are told without their commits, and all of them in several
 * transactions: what a crash leaves of them stays in the journal.
 * @throws Problem 503 when git is being ended with the server
 */
export async function pushed(pushing: Pushing, updates: readonly RefUpdate[]): Promise<void> {
  // While git was at it the repository may have got another name, or have gone.
  const before = await repositoryToMeasure(pushing.sql, pushing.repository)
  if (!before) return
  const path = pushing.tools.gitService.repositories.path(folderOf(before)) ?? ''
  const brought: Brought[] = []
  for (const update of updates)
    brought.push(
      brought.length < mostRead ? await bring(pushing, path, update) : { update, commits: [], total: 0 },
    )
  const seen = await look(pushing, path, before, updates)
  for (let at = 0; at < brought.length; at += toldAtOnce) {
    const isLast = at + toldAtOnce >= brought.length
    await pushing.begin((tx) =>
      tell(tx, pushing, seen, { moved: brought.slice(at, at + toldAtOnce), isLast }),
    )
  }
}

async function bring({ tools }: Pushing, path: string, update: RefUpdate): Promise<Brought> {
  const isTag = update.ref.startsWith('refs/tags/')
  if (path === '' || isZeroId(update.after)) return { update, commits: [], total: 0 }
  const isNew = isZeroId(update.before)
  const span = isTag
    ? { before: '0'.repeat(update.after.length), after: update.after, most: 1, count: 1 }
    : { ...update, most: 5, count: isNew ? counted.created : counted.moved }
  const read = await readPush(tools.gitService.git, path, span)
  // The server stops: the journal keeps it for the next start, which can read it.
  if (!read.ok && read.fault.kind === 'cancelled') throw problemOf(read.fault)
  // What cannot be read any more (a forced push came after) is told without its commits.
  return read.ok ? { update, ...read.value } : { update, commits: [], total: 0 }
}

/** What the repository is by now. */
async function look(
  { tools }: Pushing,
  path: string,
  before: Repository & { look: number },
  updates: readonly RefUpdate[],
): Promise<Seen> {
  const { repositories, git } = tools.gitService
  const { look, is_empty, branch_count } = before
  const size = await repositories.bytes(folderOf(before))
  const listed = await listRefs(git, path, ['refs/heads'])
  // What could not be read is not stored: every number is higher than 0.
  if (!listed.ok) return { before, measured: { size, is_empty, branch_count, look: 0 }, follows: undefined }
  const branches = listed.value.map(({ name }) => name.slice('refs/heads/'.length))
  const come = updates.find(({ ref, after }) => ref.startsWith('refs/heads/') && !isZeroId(after))
  const isLost = before.is_empty && !branches.includes(before.default_branch)
  return {
    before,
    measured: { size, is_empty: branches.length === 0, branch_count: branches.length, look },
    follows: isLost ? come?.ref.slice('refs/heads/'.length) : undefined,
  }
}

async function tell(
  tx: Tx,
  pushing: Pushing,
  seen: Seen,
  { moved, isLast }: { moved: readonly Brought[]; isLast: boolean },
): Promise<void> {
  const { push, repository, owner, sender, host, tools, isOver, isSaid } = pushing
  const branch = seen.follows && (await follow(tx, pushing, seen.before, seen.follows))
  const updates = moved.map(({ update }) => update)
  const [row, untold] = await Promise.all([
    updatePushed(tx, repository, seen.measured, branch),
    deleteTold(tx, { push, repository_id: repository }, { updates, isSaid, all: isOver && isLast }),
  ])
  if (!row) return
  const facts = { row, owner, sender, host, root: tools.root, first: seen.before.is_empty }
  const messages = pushMessages(
    facts,
    moved.filter(({ update }) => untold.has(update.ref)),
  )
  await emitHooks(
    tx,
    messages.map(({ ref, message }) => ({ message, location: { repository, owner: owner.id, ref } })),
  )
}

/**
 * HEAD follows the first branch of a repository that had none; of several pushes it follows that which holds the row
 * first. Gives the branch if it did.
 */
async function follow(tx: Tx, { tools }: Pushing, before: Repository, branch: string) {
  const row = await lockRepository(tx, before.id)
  if (!row?.is_empty || row.default_branch !== before.default_branch) return undefined
  const path = tools.gitService.repositories.path(folderOf(row)) ?? ''
  return (await setHeadBranch(path, branch)).ok ? branch : undefined
}
