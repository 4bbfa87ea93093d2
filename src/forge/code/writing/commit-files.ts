import { done } from '../../../common/outcome.ts'
import { readCommitObject, type StoredCommit } from '../../../git/repository/commit.ts'
import { TreeEditor } from '../../../git/repository/edit-tree.ts'
import { commitObject, identityLine, type Signature } from '../../../git/repository/first-commit.ts'
import { faultOfEntries, isReadByGit } from '../../../git/repository/strict-check.ts'
import { newCommitObject, writeObjects } from '../../../git/repository/write-objects.ts'
import { found, notFound, unprocessable } from '../../../http/route/problem.ts'
import { Limiter } from '../../../limiter/limiter.ts'
import { usageOf } from '../../../limiter/usage.ts'
import { signatureOf } from '../../accounts/commit-names.ts'
import { beginChange, RefMoved, type RefRequest } from '../../push/change-refs.ts'
import { type Code, commitOfBranch, gitValue, openToWrite } from '../../repos/code.ts'
import { orBusy } from '../or-busy.ts'
import type { CommitOptions } from './contents.option.ts'
import { type AppliedChange, applyChange, type FileChange } from './file-change.ts'

/** A commit that a request has made. */
export interface Committed {
  code: Code
  /** Short name of the branch that it is on. */
  branch: string
  commit: StoredCommit
  changes: readonly AppliedChange[]
}

/** The parent and the branch of a commit. */
interface Place {
  /** The parent; undefined in an empty repository. */
  base: string | undefined
  branch: string
  /** The commit that the branch points to now; undefined: the branch is new. */
  before: string | undefined
}

/** The changes of a commit, and its message if the request has none. */
interface Changes {
  message: string
  /** Changes the files of a tree with its editor; `tree` is undefined in an empty repository. */
  apply: (code: Code, editor: TreeEditor, tree: string | undefined) => Promise<readonly AppliedChange[]>
}

/**
 * Commits changes of files, each on top of those before it.
 * @throws Problem as `commitChanges`; 404 no such file, 422
 */
export const commitFiles = (
  context: RefRequest,
  options: CommitOptions,
  changes: readonly FileChange[],
): Promise<Committed> =>
  commitChanges(context, options, {
    message: defaultMessage(changes),
    apply: async (code, editor) => {
      const applied: AppliedChange[] = []
      for (const change of changes) applied.push(await applyChange(code, editor, change))
      return applied
    },
  })

/**
 * Requests that commit to one repository take turns, each on top of those before it. Which branch is meant is known only
 * once the repository is read.
 */
const turns = new Limiter({ concurrency: 64, concurrencyPerKey: 1, queue: 1000, usage: usageOf('commits') })

/** How often a commit is made again because another process, or a push, has moved its branch meanwhile. */
const maxAttempts = 50

/**
 * Makes a commit in its turn, and waits until its effects are stored; the next one of the repository is prepared meanwhile.
 * @throws Problem as `commitOnce`; 503 too many requests wait
 */
export async function commitChanges(
  context: RefRequest,
  options: CommitOptions,
  changes: Changes,
): Promise<Committed> {
  const { id } = context.caller.repo
  const inTurn = () => commitAgain(context, options, changes)
  const { published, ...committed } = await turns
    .run(inTurn, { keys: [id] })
    .catch(orBusy('too many requests commit to this repository'))
  await published
  return committed
}

/** By the id of the repository: until its last commit is published. */
const publications = new Map<number, Promise<void>>()

/** A commit whose branch has moved. */
interface Moved extends Committed {
  published: Promise<void>
}

async function commitAgain(context: RefRequest, options: CommitOptions, changes: Changes): Promise<Moved> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await commitOnce(context, options, changes)
    } catch (error) {
      if (!(error instanceof RefMoved) || attempt === maxAttempts) throw error
    }
  }
}

/**
 * Makes a commit. Writes the objects to the disk, then moves the branch as a push does, unless the branch has moved since
 * its commit was read.
 * @throws Problem 403 by a rule, 404 no such branch, 409 the branch has been changed meanwhile, 422, 423, 503
 */
async function commitOnce(context: RefRequest, options: CommitOptions, changes: Changes): Promise<Moved> {
  const code = await openToWrite(context)
  const place = await placeOf(code, options)
  const signatures = signaturesOf(context, options)
  const base =
    place.base === undefined ? undefined : found(gitValue(await readCommitObject(code, place.base)))
  const editor = new TreeEditor(code, code.row.object_format, base?.tree)
  const applied = await changes.apply(code, editor, base?.tree)
  const { tree, objects } = gitValue(await editor.finish())
  const message = messageOf(options, changes.message, signatures.committer)
  const parents = place.base ? [place.base] : []
  const content = commitObject({ tree, parents, ...signatures, message })
  const commit = newCommitObject(code.row.object_format, content, code.git.signer)
  const blobs = applied.flatMap(({ blob }) => blob ?? [])
  await requireHarmless(code, applied)
  const written = gitValue(await writeObjects(code, [...blobs, ...objects, commit]))
  const before = place.before ?? '0'.repeat(commit.id.length)
  const ref = `refs/heads/${place.branch}`
  const stored = found(gitValue(await readCommitObject(code, commit.id)))
  const pushed = { ...stored, ...gitValue(await editor.changes()) }
  // A new branch begins at a commit of another one.
  const isOnTop = place.base !== undefined && (place.before === undefined || place.base === place.before)
  const known = new Map([[ref, Promise.resolve(done({ commits: [pushed], total: 1 }))]])
  const moving = { ...context, written, ...(isOnTop && { known }) }
  // The journal would have it published here instead.
  await publications.get(code.row.id)
  const { published } = await beginChange(moving, code.row, [{ ref, before, after: commit.id }])
  remember(code.row.id, published)
  return { code, branch: place.branch, commit: stored, changes: applied, published }
}

function remember(repository: number, published: Promise<void>): void {
  const ended = published
    .catch(() => {})
    .then(() => {
      if (publications.get(repository) === ended) publications.delete(repository)
    })
  publications.set(repository, ended)
}

/** @throws Problem 404, 422 */
async function placeOf(
  code: Code,
  { branch: base_branch, new_branch, force_push }: CommitOptions,
): Promise<Place> {
  const { id, default_branch, is_empty } = code.row
  const from = base_branch || default_branch
  const branch = new_branch || from
  const base = await commitOfBranch(code, from)
  if (base === undefined && !is_empty) throw notFound(`branch does not exist [repo_id: ${id} name: ${from}]`)
  if (branch === from) return { base, branch, before: base }
  const before = await commitOfBranch(code, branch)
  if (before !== undefined && !force_push) throw unprocessable(`branch already exists [name: ${branch}]`)
  return { base, branch, before }
}

/** Git stores seconds since 1970. @throws Problem 422 */
function signaturesOf(
  { caller, from, now }: RefRequest,
  { author, committer, dates }: CommitOptions,
): { author: Signature; committer: Signature } {
  const me = signatureOf(caller.me, { from, now })
  const signature = (one: CommitOptions['author'], other: CommitOptions['author'], at = now) => {
    if (at.getTime() < 0) throw unprocessable('a commit cannot be dated before 1970')
    return { name: one?.name || other?.name || me.name, email: one?.email || other?.email || me.email, at }
  }
  return {
    author: signature(author, committer, dates?.author),
    committer: signature(committer, author, dates?.committer),
  }
}

function messageOf({ message, signoff }: CommitOptions, otherwise: string, committer: Signature): string {
  const fullMessage = message.trim() || otherwise
  return signoff ? `${fullMessage}\n\nSigned-off-by: ${identityLine(committer)}\n` : `${fullMessage}\n`
}

function defaultMessage(changes: readonly FileChange[]): string {
  const lines = [
    ['Add', ['create']],
    ['Update', ['update', 'upload', 'rename']],
    ['Delete', ['delete']],
  ] as const
  const sentences = lines.map(([verb, operations]) => {
    const paths = changes.filter(({ operation }) => operations.some((each) => each === operation))
    return paths.length === 0 ? '' : `${verb} ${paths.map(({ path }) => path).join(', ')}`
  })
  return sentences.filter((sentence) => sentence !== '').join('\n')
}

/** Checks the files that git itself reads, as in a push. @throws Problem 422, 503, 507 */
async function requireHarmless(code: Code, applied: readonly AppliedChange[]): Promise<void> {
  const files = applied.flatMap(({ change, entry, blob }) => {
    const names = entry ? change.path.split('/') : []
    const placed = names.map((name, at) =>
      at === names.length - 1 ? { name, entry, blob } : { name, entry: undefined },
    )
    return placed.filter(({ name }) => isReadByGit(name))
  })
  if (files.length === 0) return
  const fault = gitValue(await faultOfEntries(code, code.row.object_format, files))
  if (fault !== undefined) throw unprocessable(`git refuses a file: ${fault}`)
}
