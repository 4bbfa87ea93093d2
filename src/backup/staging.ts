import { mkdir, open, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Blobs } from '../blobs/blobs.ts'
import { StoreError } from '../blobs/store-error.ts'
import { hasCode } from '../common/errors.ts'
import { sync } from '../common/fsync.ts'
import { folderOf, type RepositoryPlace } from '../forge/repos/repo-store.ts'
import { repositoryPath } from '../git/program/names.ts'
import { forbiddenSetting, plainConfig } from '../git/repository/config.ts'
import { entriesOf, syncTree } from '../git/repository/files.ts'
import { BackupError, type Member } from './archive.ts'
import { textOf } from './reader.ts'
import { writeChunks } from './streams.ts'

/** The folders of `DATA_DIR` that a backup holds. */
const folders = ['repositories', 'packages'] as const

/**
 * A folder of `DATA_DIR` that exists while a restore is unfinished. The restore writes the files of the backup into it, and
 * moves them into place just before the database commits.
 */
export const stagingFolder = (dataDir: string) => join(dataDir, 'restore.unfinished')

/** A store for the contents of packages instead of `DATA_DIR`. */
export interface RestoreStore {
  blobs: Blobs
  /** Identifies it when the restore is repeated. */
  address: string
}

/** The folders that git requires in a repository (gitrepository-layout(5)), also in an empty one. */
const gitFolders = ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags']

/** Writes the files of a backup below `DATA_DIR`. */
export class Staging {
  readonly #dataDir: string
  readonly #folder: string
  readonly #store: RestoreStore | undefined
  readonly #made = new Set<string>()
  readonly #stored = new Set<string>()

  private constructor(dataDir: string, store: RestoreStore | undefined) {
    this.#dataDir = dataDir
    this.#store = store
    this.#folder = stagingFolder(dataDir)
  }

  /**
   * Starts with an empty folder. Deletes that of an unfinished restore, with the files that it had moved into place.
   * @throws BackupError when there are repositories or packages that do not come from a restore
   */
  static async start(dataDir: string, store?: RestoreStore): Promise<Staging> {
    const staging = new Staging(dataDir, store)
    const isRepeated = (await entriesOf(dataDir)).some(({ name }) => staging.#folder === join(dataDir, name))
    for (const name of folders) {
      const existing = (await entriesOf(join(dataDir, name))).filter((entry) => entry.name !== '.temporary')
      if (existing.length > 0 && !isRepeated)
        throw new BackupError(`${join(dataDir, name)} is not empty; restore into an empty DATA_DIR`)
    }
    if (store && !(await staging.#mayFill(store)))
      throw new BackupError('the S3 store is not empty; restore into an empty one, or one without S3_URL')
    await staging.discard()
    for (const name of folders) await mkdir(join(staging.#folder, name), { recursive: true, mode: 0o700 })
    if (store) await writeFile(staging.#addressFile, store.address)
    await sync(dataDir)
    return staging
  }

  /** The file with the address of the store, for a repeated restore. */
  get #addressFile(): string {
    return join(this.#folder, 'store')
  }

  async #mayFill({ blobs, address }: RestoreStore): Promise<boolean> {
    const earlier = await readFile(this.#addressFile, 'utf8').catch(() => undefined)
    return earlier === address || (await blobs.names().next()).done === true
  }

  /** Writes a file of a package or repository. @throws BackupError when it exists already or the disk is too small */
  async write(member: Member, size: number, content: AsyncIterable<Buffer>): Promise<void> {
    if (this.#store && member.kind === 'package')
      return await this.#storePackage(this.#store.blobs, member.sha256, content)
    const path = join(this.#folder, pathOf(member))
    const { bavail, bsize } = await statfs(this.#folder)
    if (size > bavail * bsize) throw new BackupError('the disk of DATA_DIR is too small for this backup')
    if (!this.#made.has(dirname(path))) await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    this.#made.add(dirname(path))
    const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
      throw hasCode(error, 'EEXIST', 'ENOTDIR') ? new BackupError(`the backup has ${path} twice`) : error
    })
    const written = isConfig(member) ? harmlessConfig(content) : content
    await writeChunks(file, written).finally(() => file.close())
  }

  async #storePackage(blobs: Blobs, sha256: string, content: AsyncIterable<Buffer>): Promise<void> {
    const upload = await blobs.startUpload()
    try {
      for await (const chunk of content) await upload.write(chunk)
      this.#stored.add(sha256)
      await blobs.prepare(await upload.finish())
    } finally {
      await upload.discard()
    }
  }

  /** Moves the complete repositories to their paths, and syncs all files to the disk. */
  async arrange(places: readonly RepositoryPlace[], attempts: ReadonlyMap<number, number>): Promise<void> {
    const ready = join(this.#folder, 'ready')
    await mkdir(ready, { mode: 0o700 })
    for (const place of places) {
      const attempt = attempts.get(place.id)
      if (attempt === undefined) continue
      const { owner, name } = folderOf(place)
      const target = repositoryPath(ready, owner, name)
      if (target === undefined) throw new BackupError(`${owner}/${name} is not a valid repository name`)
      const from = join(this.#folder, 'repositories', `${place.id}-${attempt}`)
      for (const folder of gitFolders) await mkdir(join(from, folder), { recursive: true, mode: 0o700 })
      await mkdir(dirname(target), { recursive: true, mode: 0o700 })
      await rename(from, target)
    }
    await rm(join(this.#folder, 'repositories'), { recursive: true })
    await rename(ready, join(this.#folder, 'repositories'))
    await syncTree(this.#folder)
  }

  /** Moves the files into place. */
  async place(): Promise<void> {
    for (const name of folders) {
      await rm(join(this.#dataDir, name), { recursive: true, force: true })
      await rename(join(this.#folder, name), join(this.#dataDir, name))
    }
    await sync(this.#dataDir)
  }

  /** Removes the folder when the restore is complete. */
  async finish(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
    await sync(this.#dataDir)
  }

  /**
   * Removes everything that a restore has written. The folder is removed last, and stays if the store does not answer, so
   * that the restore can be repeated.
   */
  async discard(): Promise<void> {
    for (const name of folders) await rm(join(this.#dataDir, name), { recursive: true, force: true })
    try {
      for (const sha256 of this.#stored) await this.#store?.blobs.remove(sha256)
    } catch (error) {
      if (error instanceof StoreError) return
      throw error
    }
    await rm(this.#folder, { recursive: true, force: true })
  }
}

const isConfig = (member: Member) => member.kind === 'repository' && member.path === 'config'

/** The configuration of a repository, or a plain one if git would run programs or read other files because of it. */
async function* harmlessConfig(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const text = await textOf(content)
  const format = /objectformat[ \t]{0,9}=[ \t]{0,9}sha256/i.test(text) ? 'sha256' : 'sha1'
  yield Buffer.from(forbiddenSetting(text) === undefined ? text : plainConfig(format))
}

function pathOf(member: Member): string {
  if (member.kind === 'package') return join('packages', member.sha256.slice(0, 2), member.sha256)
  if (member.kind === 'repository') return join('repositories', member.directory, member.path)
  throw new TypeError(`${member.kind} is no file`)
}
