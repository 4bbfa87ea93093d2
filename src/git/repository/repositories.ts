import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasCode } from '../../common/errors.ts'
import { sync } from '../../common/fsync.ts'
import { done, failed } from '../../common/outcome.ts'
import type { Git, OpenRepository } from '../program/git.ts'
import { isBranchName, isObjectId, repositoryPath } from '../program/names.ts'
import { diskFault, fault, type GitOutcome, orGone } from '../program/outcome.ts'
import { plainConfig } from './config.ts'
import { copyContent } from './copy-content.ts'
import { isPlainDirectory, kindOf, removeEntries, syncTree, treeBytes, writeTree } from './files.ts'
import { type FirstCommit, fastImport, signImported } from './first-commit.ts'
import { inspect, leadsOutside } from './outside.ts'
import { type NewObject, type ObjectFormat, writeObjects } from './write-objects.ts'

/** A repository by its names in paths, which are case-insensitive. */
export interface RepositoryPath {
  owner: string
  /** Without `.git`. */
  name: string
}

interface NewRepository extends RepositoryPath {
  /** Short name of the branch in `HEAD`, whether or not it has commits. */
  branch: string
  format?: ObjectFormat
}

/**
 * The bare repositories in one folder, `<root>/<owner>/<name>.git` in lower case. Repositories are created and removed
 * in `<root>/.temporary`, so that a crash never leaves half a repository under its name: it gets the name when all of
 * it is on the disk, and loses the name before the first file is removed.
 */
export class Repositories {
  readonly root: string
  readonly #temporary: string
  readonly #git: Git

  /** `root` is an absolute path; it is created with the first repository. */
  constructor(root: string, git: Git) {
    this.root = root
    this.#temporary = join(root, '.temporary')
    this.#git = git
  }

  /** Absolute path; undefined if a name is unusable. Does not check whether it exists. */
  path({ owner, name }: RepositoryPath): string | undefined {
    return repositoryPath(this.root, owner, name)
  }

  /** The repository at that path, to read it. */
  open(place: RepositoryPath): OpenRepository | undefined {
    const directory = this.path(place)
    return directory === undefined ? undefined : { git: this.#git, directory }
  }

  /** Creates an empty repository, like `git init` but without a process. Faults: name, taken, full, failed. */
  create(made: NewRepository): Promise<GitOutcome<void>> {
    return this.#build(made, async () => done(undefined))
  }

  /** Creates one with a first commit on `commit.branch`; returns its id. One process. Faults: name, taken, those of git. */
  async createWithCommit(
    made: RepositoryPath & { format?: ObjectFormat },
    commit: FirstCommit,
  ): Promise<GitOutcome<string>> {
    const input = fastImport(commit)
    if (!Buffer.isBuffer(input)) return failed(input)
    return this.#build({ ...made, branch: commit.branch }, async (directory) => {
      const imported = await this.#git.run(directory, importArgs, { input })
      if (!imported.ok) return imported
      const id = imported.value.toString('latin1').trim()
      if (!isObjectId(id)) return fault('failed', `fast-import answered ${id}`)
      const signed = await signImported({ git: this.#git, directory }, id)
      if (signed.ok && signed.value !== id)
        await writeRef(directory, `refs/heads/${commit.branch}`, signed.value)
      return signed
    })
  }

  /**
   * Creates one with a commit on `made.branch`, of which some objects are new and the rest is in another repository
   * (absolute path). One process. Faults: name, taken, full, those of git.
   */
  createFrom(
    made: NewRepository,
    source: string,
    content: { commit: string; objects: readonly NewObject[] },
  ): Promise<GitOutcome<void>> {
    return this.#build(made, async (folder) => {
      const filled = await fillFrom(this.#git, folder, source, content)
      if (filled.ok) await writeRef(folder, `refs/heads/${made.branch}`, content.commit)
      return filled
    })
  }

  /**
   * Creates one with the branches, tags and objects of another one, of the same format; the files of objects are shared where
   * the disk allows it (`copy-content.ts`), and each repository is complete without the other. One process. Faults: name,
   * taken, full, gone, those of git.
   */
  createCopy(made: NewRepository, source: OpenRepository): Promise<GitOutcome<void>> {
    return this.#build(made, (folder) => copyContent(source, folder))
  }

  /** Changes the owner or name of a repository. Faults: name, gone, taken, failed. */
  move(from: RepositoryPath, to: RepositoryPath): Promise<GitOutcome<void>> {
    return catchDiskErrors(() => moveBetween(this.path(from), this.path(to)))
  }

  /** Removes the directory, whether or not it is a git repository; false if it did not exist. Faults: name, failed. */
  remove(place: RepositoryPath): Promise<GitOutcome<boolean>> {
    return catchDiskErrors(async () => {
      const target = this.path(place)
      if (target === undefined) return badName(place)
      if ((await kindOf(target)) === 'nothing' || (await isNotDirectory(dirname(target)))) return done(false)
      const removed = join(this.#temporary, randomUUID())
      await mkdir(this.#temporary, { recursive: true })
      const moved = await putInPlace(target, removed)
      if (!moved.ok) return moved.fault.kind === 'gone' ? done(false) : moved
      await this.#git.leave(removed)
      await rm(removed, { recursive: true, force: true })
      return done(true)
    })
  }

  /** Whether the directory exists, git repository or not; false for a symbolic link. */
  async exists(place: RepositoryPath): Promise<boolean> {
    const directory = this.path(place)
    return directory !== undefined && (await isPlainDirectory(directory))
  }

  /**
   * Calls `work` with a new repository that reads the objects of another one and writes to its own; it is removed
   * afterwards. Faults: those of `work`, full, failed.
   */
  withScratch<Value>(
    source: OpenRepository,
    format: ObjectFormat,
    work: (scratch: OpenRepository) => Promise<GitOutcome<Value>>,
  ): Promise<GitOutcome<Value>> {
    return catchDiskErrors(() =>
      this.#inTemporary(async (directory) => {
        await writeScratch(directory, format, source)
        return orGone(await work({ git: source.git, directory }), source.directory)
      }),
    )
  }

  /** Bytes on disk; 0 if it does not exist. */
  async bytes(place: RepositoryPath): Promise<number> {
    const directory = this.path(place)
    return directory === undefined ? 0 : treeBytes(directory)
  }

  /** Why a directory that others have put there must not be read (`leadsOutside`); undefined if it may. */
  async outside(place: RepositoryPath): Promise<string | undefined> {
    const directory = this.path(place)
    return directory === undefined ? undefined : leadsOutside(directory)
  }

  /** Lets git examine a directory of others, which `outside` has checked. Faults: name, gone, failed, those of git. */
  inspect(place: RepositoryPath): Promise<GitOutcome<{ format: ObjectFormat }>> {
    return catchDiskErrors(() => inspect(this.#git, this.path(place)))
  }

  /**
   * Removes the leftovers of a crash in `.temporary`; returns the number of entries. Without `before` it removes all, which
   * only the first process on this folder may do at startup; otherwise those that were last changed before that time.
   */
  tidy(before?: Date): Promise<number> {
    return removeEntries(this.#temporary, before)
  }

  /** Makes an empty repository in a temporary folder, calls `fill`, and renames it to its path, which must be free. */
  #build<Value>(
    made: NewRepository,
    fill: (folder: string) => Promise<GitOutcome<Value>>,
  ): Promise<GitOutcome<Value>> {
    const { branch, format = 'sha1' } = made
    return catchDiskErrors(async () => {
      if (!isBranchName(branch)) return fault('name', `no branch name: ${branch}`)
      const target = this.path(made)
      if (target === undefined) return badName(made)
      if ((await kindOf(target)) !== 'nothing') return fault('taken', `${target} exists`)
      if (await isNotDirectory(dirname(target)))
        return fault('taken', `${dirname(target)} is not a directory`)
      return this.#inTemporary(async (folder) => {
        await writeEmpty(folder, branch, format)
        const filled = await fill(folder)
        if (!filled.ok) return filled
        await syncTree(folder)
        const placed = await putInPlace(folder, target)
        return placed.ok ? filled : placed
      })
    })
  }

  /** Calls `work` with the path of a new folder, which is removed afterwards unless it was renamed. */
  async #inTemporary<Value>(
    work: (folder: string) => Promise<GitOutcome<Value>>,
  ): Promise<GitOutcome<Value>> {
    const folder = join(this.#temporary, `${randomUUID()}.git`)
    try {
      await mkdir(this.#temporary, { recursive: true })
      return await work(folder)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}

const importArgs = ['-c', 'fastimport.unpackLimit=1', 'fast-import', '--quiet', '--date-format=raw']

const badName = ({ owner, name }: RepositoryPath) =>
  fault('name', `not a name of a repository: ${owner}/${name}`)

/** Converts file system errors to faults. */
async function catchDiskErrors<Value>(work: () => Promise<GitOutcome<Value>>): Promise<GitOutcome<Value>> {
  try {
    return await work()
  } catch (error) {
    return diskFault(error)
  }
}

/** Creates what `git init --bare` creates without templates (gitrepository-layout(5)), for either object format. */
const writeEmpty = (folder: string, branch: string, format: ObjectFormat) =>
  writeTree(folder, emptyFolders, { HEAD: `ref: refs/heads/${branch}\n`, config: plainConfig(format) })
const emptyFolders = ['objects', 'objects/info', 'objects/pack', 'refs', 'refs/heads', 'refs/tags']

/** Creates the least that git takes for a repository, with the objects of another one. */
const writeScratch = (folder: string, format: ObjectFormat, { directory }: OpenRepository) =>
  writeTree(folder, ['objects', 'objects/info', 'refs'], {
    HEAD: 'ref: refs/heads/main\n',
    config: plainConfig(format),
    'objects/info/alternates': `${join(directory, 'objects')}\n`,
  })

/**
 * Puts a commit into a new repository, with all objects that it refers to, in one pack: the new ones, and those that git
 * finds in another repository, which is the alternate of the new one meanwhile.
 */
async function fillFrom(
  git: Git,
  folder: string,
  source: string,
  { commit, objects }: { commit: string; objects: readonly NewObject[] },
): Promise<GitOutcome<void>> {
  const written = await writeObjects({ directory: folder }, objects)
  if (!written.ok) return written
  const alternates = join(folder, 'objects/info/alternates')
  await writeFile(alternates, `${join(source, 'objects')}\n`)
  const args = ['pack-objects', '--quiet', '--revs', '--delta-base-offset', 'objects/pack/pack']
  const packed = await git.run(folder, args, { input: `${commit}\n` })
  if (!packed.ok) return orGone(packed, source)
  await rm(alternates)
  // The pack has them, too.
  const loose = new Set(objects.map(({ id }) => join(folder, 'objects', id.slice(0, 2))))
  for (const directory of loose) await rm(directory, { recursive: true })
  return done(undefined)
}

async function writeRef(folder: string, ref: string, id: string): Promise<void> {
  await mkdir(dirname(join(folder, ref)), { recursive: true })
  await writeFile(join(folder, ref), `${id}\n`)
}

async function moveBetween(from: string | undefined, to: string | undefined): Promise<GitOutcome<void>> {
  if (from === undefined || to === undefined) return fault('name', 'not a name of a repository')
  if (from === to) return done(undefined)
  if (!(await isPlainDirectory(from))) return fault('gone', `${from} does not exist`)
  if ((await kindOf(to)) !== 'nothing') return fault('taken', `${to} exists`)
  return putInPlace(from, to)
}

/** Renames, after creating a missing parent, and syncs both parents. */
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

/** Whether the folder of an owner is a symbolic link or a file, so that its contents do not belong to this server. */
async function isNotDirectory(parent: string): Promise<boolean> {
  const kind = await kindOf(parent)
  return kind !== 'directory' && kind !== 'nothing'
}
