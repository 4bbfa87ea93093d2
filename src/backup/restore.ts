import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { hastenTasks } from '../background/cron/cron-store.ts'
import type { Pool, Sql } from '../db/sql.ts'
import { deleteFilesOf } from '../forge/packages/package-store.ts'
import { forgetStore } from '../forge/packages/store-owner.ts'
import { placesOfRepositories } from '../forge/repos/repo-queries.ts'
import { releaseRepositories } from '../forge/repos/repo-store.ts'
import { kindOf } from '../git/repository/files.ts'
import { BackupError, Contents, type Manifest, memberNames, Schema, Sequences } from './archive.ts'
import { claimEmpty, Loader } from './load.ts'
import { parseMember, type ReadMember, readArchive, textOf } from './reader.ts'
import { type RestoreStore, Staging, stagingFolder } from './staging.ts'
import { isUnused, tablesOf } from './tables.ts'

/** Where a backup is restored to. */
interface RestoreTarget {
  /** A pool without a timeout of statements. */
  pool: Pool
  dataDir: string
  /** Absent: contents of packages go to `dataDir`. */
  store?: RestoreStore | undefined
  now: Date
}

/** The result of a restore. */
export interface Restored {
  manifest: Manifest
  repositories: number
  packages: number
  /** Repositories and contents that were deleted while the backup was made. */
  deleted: number
}

/**
 * Restores a backup into an empty database and an empty `DATA_DIR`: all of it or nothing. The database is one
 * transaction, which commits when every checksum was right and all files are on the disk.
 * @throws BackupError, StoreError, errors of the database and of the file system
 */
export async function restore(
  file: string,
  target: RestoreTarget,
  onBytes: (bytes: number) => void,
): Promise<Restored> {
  const { pool, dataDir, store, now } = target
  let staging: Staging | undefined
  let isPlaced = false
  try {
    const { result } = await pool.begin(async (sql) => {
      await claimEmpty(sql)
      staging = await Staging.start(dataDir, store)
      const restoring = new Restoring(sql, staging)
      try {
        const manifest = await readArchive(file, { visit: (member) => restoring.take(member), onBytes })
        const counts = await restoring.finish(now)
        isPlaced = true
        await staging.place()
        return { result: { manifest, ...counts } }
      } catch (error) {
        restoring.abort(error)
        throw error
      }
    })
    await staging?.finish()
    return result
  } catch (error) {
    // The commit may have happened although its answer was lost: then the files stay, and the next start checks.
    if (!isPlaced) await staging?.discard()
    throw error
  }
}

/** Takes the members of an archive in the order of `archive.ts`. */
class Restoring {
  #loader: Loader | undefined
  #sequences: Sequences | undefined
  #contents: Contents | undefined
  #packages = 0

  constructor(
    readonly sql: Sql,
    readonly staging: Staging,
  ) {}

  async take({ member, name, size, content }: ReadMember): Promise<void> {
    switch (member.kind) {
      case 'schema':
        if (this.#loader) throw new BackupError('the backup has two schemas')
        this.#loader = await Loader.start(this.sql, parseMember(Schema, await textOf(content), name))
        return
      case 'rows':
        if (!this.#loader) throw new BackupError('the backup has rows before its schema')
        return await this.#loader.add(member.table, content)
      case 'sequences':
        this.#sequences = parseMember(Sequences, await textOf(content), name)
        return
      case 'contents':
        this.#contents = parseMember(Contents, await textOf(content), name)
        return
      case 'package':
        this.#packages++
        return await this.staging.write(member, size, matching(member.sha256, content))
      case 'repository':
        return await this.staging.write(member, size, content)
      default:
        throw new BackupError(`the backup has a second ${memberNames[member.kind]}`)
    }
  }

  async finish(now: Date): Promise<Omit<Restored, 'manifest'>> {
    const [loader, sequences, contents] = [this.#loader, this.#sequences, this.#contents]
    if (!loader || !sequences || !contents) throw new BackupError('the backup lacks one of its parts')
    await loader.finish(sequences)
    const { repositories, deleted } = contents
    const attempts = new Map(repositories.map(({ id, attempt }) => [id, attempt]))
    await this.staging.arrange(await placesOfRepositories(this.sql), attempts)
    for (const id of deleted.repositories) await releaseRepositories(this.sql, { id })
    await deleteFilesOf(this.sql, deleted.packages)
    await forgetStore(this.sql)
    // Directories may be newer than their rows.
    await hastenTasks(this.sql, ['check_repo_stats'], now, now)
    return {
      repositories: repositories.length,
      packages: this.#packages,
      deleted: deleted.repositories.length + deleted.packages.length,
    }
  }

  abort(error: unknown): void {
    this.#loader?.abort(error instanceof Error ? error : new Error(String(error)))
  }
}

/** @throws BackupError at the end when the content does not have this hash */
async function* matching(sha256: string, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for await (const chunk of content) {
    hash.update(chunk)
    yield chunk
  }
  if (hash.digest('hex') !== sha256) throw new BackupError(`package content ${sha256} is damaged`)
}

/** Reads a whole backup and compares all checksums, without a database. @throws BackupError */
export async function verify(
  file: string,
  onBytes: (bytes: number) => void,
): Promise<{ manifest: Manifest; members: number }> {
  let members = 0
  const visit = async ({ member, name, content }: ReadMember) => {
    members++
    if (member.kind === 'schema') parseMember(Schema, await textOf(content), name)
    if (member.kind === 'sequences') parseMember(Sequences, await textOf(content), name)
    if (member.kind === 'contents') parseMember(Contents, await textOf(content), name)
    if (member.kind === 'package') for await (const _ of matching(member.sha256, content));
  }
  return { manifest: await readArchive(file, { visit, onBytes }), members }
}

/**
 * Checks for the leftovers of a killed restore. If the database has committed, the restore is complete.
 * @throws BackupError when it has not: a server would begin an empty database beside the files
 */
export async function settleRestore(pool: Pool, dataDir: string): Promise<void> {
  if ((await kindOf(stagingFolder(dataDir))) === 'nothing') return
  if (await isUnused(pool, await tablesOf(pool)))
    throw new BackupError('a restore into DATA_DIR was not finished; run "forgehall restore" again')
  await rm(stagingFolder(dataDir), { recursive: true, force: true })
}
