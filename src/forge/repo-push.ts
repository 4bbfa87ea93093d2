import type { Begin, Sql, Tx } from '../db/sql.ts'
import { type Commit, readPush } from '../git/history.ts'
import type { RefUpdate } from '../git/http.ts'
import { isZeroId } from '../git/names.ts'
import { listRefs, setHeadBranch } from '../git/refs.ts'
import type { Account } from './account.ts'
import { emitHook } from './hook-events.ts'
import {
  createMessage,
  deleteMessage,
  type HookMessage,
  type PayloadCommit,
  pushMessage,
} from './hook-payload/payload.ts'
import { printRepository } from './repo.shape.ts'
import type { OnRepository } from './repo-access.ts'
import { LEVELS } from './repo-level.ts'
import { folderOf, type Pushed, type Repository, repositoryById, updatePushed } from './repo-store.ts'
import type { ForgeTools } from './route.ts'
import { printUser } from './user.shape.ts'

/** A push that git has done. */
export interface Pushing {
  sql: Sql
  begin: Begin
  tools: ForgeTools
  caller: OnRepository
  /** Root of links. */
  host: string
  /** The row as it was when the push came. */
  before: Repository
}

/** Commits that a new branch counts at most, and that another push does. */
const counted = { created: 10, moved: 10_000 }

/** Refs of one push whose commits are read, which takes two runs of git each; branches come first. */
const mostRead = 50

/** Refs that are told of in one transaction, which others wait for where there is one connection. */
const toldAtOnce = 100

/** An update and what it brought. */
interface Brought {
  update: RefUpdate
  commits: readonly Commit[]
  total: number
}

/**
 * Brings the row up to date and tells of the push; what must be asked of git is asked before the transaction. Of very
 * many refs the later ones are told without their commits.
 */
export async function pushed(given: Pushing, updates: readonly RefUpdate[]): Promise<void> {
  const { sql, begin, caller } = given
  const { me, subject: owner } = caller
  // While git was at it the repository may have got another name, or have gone.
  const before = await repositoryById(sql, given.before.id)
  if (!me || !before) return
  const pushing = { ...given, before }
  const brought: Brought[] = []
  for (const update of updates)
    brought.push(brought.length < mostRead ? await bring(pushing, update) : { update, commits: [], total: 0 })
  const now = await pushedState(pushing, updates)
  for (let at = 0; at < brought.length; at += toldAtOnce) {
    await begin(async (tx) => {
      const row = await updatePushed(tx, before.id, now)
      if (!row) return
      for (const each of brought.slice(at, at + toldAtOnce))
        await tell(tx, given, { row, owner, sender: me }, each)
    })
  }
}

async function bring({ tools, before }: Pushing, update: RefUpdate): Promise<Brought> {
  const path = tools.workshop.repositories.path(folderOf(before))
  const isTag = update.ref.startsWith('refs/tags/')
  if (path === undefined || isZeroId(update.after)) return { update, commits: [], total: 0 }
  const isNew = isZeroId(update.before)
  const span = isTag
    ? { before: '0'.repeat(update.after.length), after: update.after, most: 1, count: 1 }
    : { ...update, most: 5, count: isNew ? counted.created : counted.moved }
  const read = await readPush(tools.workshop.git, path, span)
  // What cannot be read any more (a forced push came after) is told without its commits.
  return read.ok ? { update, ...read.value } : { update, commits: [], total: 0 }
}

/** What the repository is by now; HEAD follows the first branch of a repository that had none. */
async function pushedState({ tools, before }: Pushing, updates: readonly RefUpdate[]): Promise<Pushed> {
  const { repositories, git } = tools.workshop
  const place = folderOf(before)
  const path = repositories.path(place) ?? ''
  const size = await repositories.bytes(place)
  const listed = await listRefs(git, path, ['refs/heads'])
  if (!listed.ok) return { size, is_empty: before.is_empty, branch_count: before.branch_count }
  const branches = listed.value.map(({ name }) => name.slice('refs/heads/'.length))
  const come = updates.find(({ ref, after }) => ref.startsWith('refs/heads/') && !isZeroId(after))
  const [only] = come ? [come.ref.slice('refs/heads/'.length)] : []
  const follows = before.is_empty && only !== undefined && !branches.includes(before.default_branch)
  const moved = follows && (await setHeadBranch(path, only)).ok
  return {
    size,
    is_empty: branches.length === 0,
    branch_count: branches.length,
    ...(moved && { default_branch: only }),
  }
}

interface Told {
  row: Repository
  owner: Account
  sender: Account
}

/** In the order of the reference: a branch is created, then pushed to; a tag the other way round. */
async function tell(
  tx: Tx,
  { host, tools, before }: Pushing,
  { row, owner, sender }: Told,
  brought: Brought,
) {
  const { update, commits, total } = brought
  const { ref } = update
  const shown = (level: number) => printRepository(row, owner, { host, level, known: false })
  const [whole, bare] = [shown(LEVELS.owner), shown(LEVELS.none)]
  const who = printUser(sender, undefined, host)
  const told = commits.map((commit) => payloadCommit(commit, whole.html_url))
  const isTag = ref.startsWith('refs/tags/')
  const push = pushMessage({
    ...update,
    commits: isTag ? [] : told,
    total: isTag ? 0 : total,
    head: told[0] ?? null,
    first: before.is_empty,
    root: tools.root,
    repository: whole,
    sender: who,
  })
  const messages: HookMessage[] = []
  if (!isZeroId(update.after) || isTag) messages.push(push)
  if (isZeroId(update.after)) messages.push(deleteMessage({ ref, repository: bare, sender: who }))
  else if (isZeroId(update.before)) {
    const create = createMessage({ ref, sha: update.after, repository: bare, sender: who })
    if (isTag) messages.push(create)
    else messages.unshift(create)
  }
  for (const message of messages) await emitHook(tx, message, { repository: row.id, owner: owner.id, ref })
}

/** A commit as webhooks are told of it. Addresses are not looked up: `username` is empty, as it is for those that belong to no account. */
export function payloadCommit(
  { id, message, author, committer, ...rest }: Commit,
  url: string,
): PayloadCommit {
  const { added, removed, modified } = rest
  return {
    id,
    message,
    url: `${url}/commit/${id}`,
    author: { name: author.name, email: author.email, username: '' },
    committer: { name: committer.name, email: committer.email, username: '' },
    verification: null,
    timestamp: committer.at,
    added,
    removed,
    modified,
  }
}
