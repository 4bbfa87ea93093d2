import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasCode } from '../../errors.ts'
import { sync } from '../../fsync.ts'
import type { Git } from '../program/git.ts'
import { isBranchName, isObjectId, repositoryPath } from '../program/names.ts'
import { diskFault, done, fault, type GitOutcome } from '../program/outcome.ts'
import { holdsOther, kindOf, removeEntries, syncTree, treeBytes, writeTree } from './files.ts'
import { type FirstCommit, fastImport } from './first-commit.ts'

export type ObjectFormat = 'sha1' | 'sha256'

/** A repository by the names it has in paths; their case does not matter. */
export interface RepositoryPath {
  owner: string
  /** Without `.git`. */
  name: string
}

export interface NewRepository extends RepositoryPath {
  /** Short name of the branch that `HEAD` names, whether or not it has commits. */
  branch: string
  format?: ObjectFormat
}

/**
 * The bare repositories of one folder, `<root>/<owner>/<name>.git`, lower-cased. What is made or removed lies in
 * `<root>/.temporary` meanwhile, so that a crash never shows half a repository: it has its name only when all of it
 * is on the disk, and loses its name before the first file goes.
 */
export interface Repositories {
  root: string
  /** Absolute path; undefined when a name is unusable. Says nothing of what lies there. */
  path: (place: RepositoryPath) => string | undefined
  /** An empty repository: what `git init` makes, without a process. Faults: name, taken, full, failed. */
  create: (made: NewRepository) => Promise<GitOutcome<void>>
  /** One with a first commit on `commit.branch`; gives the commit's id. One process. Faults: name, taken, those of git. */
  createWithCommit: (
    made: RepositoryPath & { format?: ObjectFormat },
    commit: FirstCommit,
  ) => Promise<GitOutcome<string>>
  /** Gives a repository another owner or name. Faults: name, gone, taken, failed. */
  move: (from: RepositoryPath, to: RepositoryPath) => Promise<GitOutcome<void>>
  /** Removes a repository, git or not; gives false when nothing was there. Faults: name, failed. */
  remove: (place: RepositoryPath) => Promise<GitOutcome<boolean>>
  /** Whether a directory of that name is there, git or not; a symbolic link is none. */
  exists: (place: RepositoryPath) => Promise<boolean>
  /** Bytes on disk; 0 when it is gone. */
  bytes: (place: RepositoryPath) => Promise<number>
  /** What a repository is, asked of git: for directories put there by others. Faults: name, gone, failed, those of git. */
  inspect: (place: RepositoryPath) => Promise<GitOutcome<{ format: ObjectFormat }>>
  /**
   * Removes what a crash left in `.temporary`; gives how many. Without a moment: all, for the start of the only process
   * on this folder; else what was last changed before it.
   */
  tidy: (before?: Date) => Promise<number>
}

/** `root` is an absolute path; it is made when the first repository is. */
export function createRepositories(root: string, git: Git): Repositories {
  const temporary = join(root, '.temporary')
  const path = (place: RepositoryPath) => repositoryPath(root, place.owner, place.name)

  /** A path that is free, and a shelter to build it in. */
  async function build(
    place: RepositoryPath,
    fill: (folder: string) => Promise<GitOutcome<string>>,
  ): Promise<GitOutcome<string>> {
    const target = path(place)
    if (target === undefined) return badName(place)
    if ((await kindOf(target)) !== 'nothing') return fault('taken', `${target} exists`)
    if (await isElsewhere(dirname(target))) return fault('taken', `${dirname(target)} is no directory`)
    const folder = join(temporary, `${randomUUID()}.git`)
    try {
      await mkdir(temporary, { recursive: true })
      const filled = await fill(folder)
      if (!filled.ok) return filled
      await syncTree(folder)
      const placed = await putInPlace(folder, target)
      return placed.ok ? filled : placed
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  async function remove(place: RepositoryPath): Promise<GitOutcome<boolean>> {
    const target = path(place)
    if (target === undefined) return badName(place)
    if ((await kindOf(target)) === 'nothing' || (await isElsewhere(dirname(target)))) return done(false)
    const away = join(temporary, randomUUID())
    await mkdir(temporary, { recursive: true })
    const moved = await putInPlace(target, away)
    if (!moved.ok) return moved.fault.kind === 'gone' ? done(false) : moved
    await rm(away, { recursive: true, force: true })
    return done(true)
  }

  return {
    root,
    path,
    create: (made) =>
      guarded(async () => {
        if (!isBranchName(made.branch)) return fault('name', `no branch name: ${made.branch}`)
        const built = await build(made, async (folder) => {
          await writeEmpty(folder, made.branch, made.format ?? 'sha1')
          return done('')
        })
        return built.ok ? done(undefined) : built
      }),
    createWithCommit: (made, commit) =>
      guarded(async () => {
        const input = fastImport(commit)
        if (!Buffer.isBuffer(input)) return { ok: false, fault: input }
        return build(made, async (folder) => {
          await writeEmpty(folder, commit.branch, made.format ?? 'sha1')
          const imported = await git.run(folder, importArgs, { input })
          if (!imported.ok) return imported
          const id = imported.value.toString('latin1').trim()
          return isObjectId(id) ? done(id) : fault('failed', `fast-import answered ${id}`)
        })
      }),
    move: (from, to) => guarded(async () => moveBetween(path(from), path(to))),
    remove: (place) => guarded(() => remove(place)),
    exists: async (place) => {
      const at = path(place)
      return at !== undefined && (await isPlainDirectory(at))
    },
    bytes: async (place) => {
      const at = path(place)
      return at === undefined ? 0 : treeBytes(at)
    },
    inspect: (place) => guarded(() => inspect(git, path(place))),
    tidy: (before) => removeEntries(temporary, before),
  }
}

const importArgs = ['-c', 'fastimport.unpackLimit=1', 'fast-import', '--quiet', '--date-format=raw']

const badName = ({ owner, name }: RepositoryPath) =>
  fault('name', `no name of a repository: ${owner}/${name}`)

/** What the disk refuses is a value like everything else. */
async function guarded<Value>(work: () => Promise<GitOutcome<Value>>): Promise<GitOutcome<Value>> {
  try {
    return await work()
  } catch (error) {
    return diskFault(error)
  }
}

/** Exactly what `git init --bare` makes without templates (gitrepository-layout(5)), for either object format. */
async function writeEmpty(folder: string, branch: string, format: ObjectFormat): Promise<void> {
  const core = (version: number) =>
    `[core]\n\trepositoryformatversion = ${version}\n\tfilemode = true\n\tbare = true\n`
  const config = format === 'sha1' ? core(0) : `${core(1)}[extensions]\n\tobjectformat = sha256\n`
  const directories = ['objects', 'objects/info', 'objects/pack', 'refs', 'refs/heads', 'refs/tags']
  await writeTree(folder, directories, { HEAD: `ref: refs/heads/${branch}\n`, config })
}

async function moveBetween(from: string | undefined, to: string | undefined): Promise<GitOutcome<void>> {
  if (from === undefined || to === undefined) return fault('name', 'no name of a repository')
  if (from === to) return done(undefined)
  if (!(await isPlainDirectory(from))) return fault('gone', `${from} is not there`)
  if ((await kindOf(to)) !== 'nothing') return fault('taken', `${to} exists`)
  return putInPlace(from, to)
}

/** Renames, makes the parent first when it is missing, and puts both parents on the disk. */
async function putInPlace(from: string, to: string): Promise<GitOutcome<void>> {
  try {
    await mkdir(dirname(to), { recursive: true })
    await rename(from, to)
  } catch (error) {
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')) return fault('taken', String(error))
    if (hasCode(error, 'ENOENT')) return fault('gone', String(error))
    throw error
  }
  await Promise.all([sync(dirname(to)), sync(dirname(dirname(to))), sync(dirname(from)).catch(() => {})])
  return done(undefined)
}

/** Whether the folder of an owner is a symbolic link or a file: what lies behind it is not ours. */
async function isElsewhere(parent: string): Promise<boolean> {
  const kind = await kindOf(parent)
  return kind !== 'directory' && kind !== 'nothing'
}

/** A directory in a directory, neither of them a symbolic link. */
async function isPlainDirectory(path: string): Promise<boolean> {
  return (await kindOf(path)) === 'directory' && (await kindOf(dirname(path))) === 'directory'
}

async function inspect(git: Git, path: string | undefined): Promise<GitOutcome<{ format: ObjectFormat }>> {
  if (path === undefined) return fault('name', 'no name of a repository')
  if (!(await isPlainDirectory(path))) return fault('gone', `${path} is not there`)
  // `.invalid` is what repositories with another store of refs put there.
  const head = (await kindOf(join(path, 'HEAD'))) === 'file' ? await readFile(join(path, 'HEAD'), 'utf8') : ''
  if (!/^(?:ref: refs\/(?!heads\/\.invalid)|[0-9a-f]{40})/.test(head))
    return fault('failed', `${path} has no HEAD`)
  // Git follows links there: into folders of the machine, and for ever.
  if (await holdsOther(join(path, 'refs'))) return fault('failed', `${path} has links among its refs`)
  const asked = await git.run(path, ['rev-parse', '--is-bare-repository', '--show-object-format'])
  if (!asked.ok) return asked
  const [bare, format] = asked.value.toString('latin1').split('\n')
  if (bare !== 'true') return fault('failed', `${path} is not bare`)
  if (format !== 'sha1' && format !== 'sha256')
    return fault('failed', `${path} has objects of format ${format}`)
  return done({ format })
}
