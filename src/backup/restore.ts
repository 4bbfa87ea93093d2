import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { hastenTasks } from '../background/cron/cron-store.ts'
import { asError } from '../common/errors.ts'
import type { Pool, Sql, Transaction } from '../db/sql.ts'
import { deleteAccountAvatars } from '../forge/accounts/account-store.ts'
import { deleteAttachmentsWith } from '../forge/attachments/attachment-store.ts'
import { forgetStore } from '../forge/blobs/store-owner-store.ts'
import { deleteFilesOf } from '../forge/packages/package-store.ts'
import { placesOfRepositories } from '../forge/repos/repo-query-store.ts'
import { deleteRepositoryAvatars, releaseRepositories } from '../forge/repos/repo-store.ts'
import { deleteSitePicturesWith } from '../forge/site-picture-store.ts'
import { kindOf } from '../git/repository/files.ts'
import { BackupError, type Manifest } from './archive.ts'
import { Inventory } from './inventory.ts'
import { claimEmpty, Loader } from './load.ts'
import { type ReadMember, readArchive, type Watch } from './reader.ts'
import { type RestoreStore, Staging, stagingFolder } from './staging.ts'
import { hashing } from './streams.ts'
import { isUnused, tablesOf } from './tables.ts'

/** The target of a restore. */
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
 * transaction, which commits when every checksum was right and all files are on the disk. When `watch.stopped` fires
 * before that, the connection is closed, whatever statement is running, and the pool is of no further use.
 * @throws BackupError, StoreError, the reason of `stopped`, errors of the database and of the file system
 */
export async function restore(file: string, target: RestoreTarget, watch: Watch): Promise<Restored> {
  const { pool } = target
  const { stopped } = watch
  const attempt = new Attempt(file, target, watch)
  const stop = () => attempt.isPlaced || void pool.end({ timeout: 0 })
  stopped.addEventListener('abort', stop)
  try {
    const { result } = await pool.begin((sql) => attempt.run(sql))
    await attempt.staging?.finish()
    return result
  } catch (error) {
    await attempt.undo()
    stopped.throwIfAborted()
    throw error
  } finally {
    stopped.removeEventListener('abort', stop)
  }
}

/** One restore, from its transaction to its end. */
class Attempt {
  staging: Staging | undefined
  /** Whether the files are in place: the commit follows. */
  isPlaced = false
  #running: Promise<unknown> | undefined

  constructor(
    readonly file: string,
    readonly target: RestoreTarget,
    readonly watch: Watch,
  ) {}

  run(sql: Transaction): Promise<{ result: Restored }> {
    const running = this.#run(sql)
    this.#running = running
    return running
  }

  async #run(sql: Transaction): Promise<{ result: Restored }> {
    const { file, target, watch } = this
    watch.stopped.throwIfAborted()
    await endStatementsOfDead(sql)
    await claimEmpty(sql)
    this.staging = await Staging.start(target.dataDir, target.store)
    const restoring = new Restoring(sql, this.staging)
    try {
      const manifest = await readArchive(file, (member) => restoring.take(member), watch)
      const counts = await restoring.finish(target.now)
      watch.stopped.throwIfAborted()
      this.isPlaced = true
      await this.staging.place()
      return { result: { manifest, ...counts } }
    } catch (error) {
      restoring.abort(error)
      throw error
    }
  }

  /** Removes the files, unless the commit may have happened although its answer was lost: then the next start checks. */
  async undo(): Promise<void> {
    // The transaction may have ended while a file is still being written.
    await this.#running?.catch(() => {})
    if (!this.isPlaced) await this.staging?.discard()
  }
}

/**
 * Makes PostgreSQL end a long statement when this process has ended, if its system can detect that. Otherwise the locks of
 * the transaction would last until the statement is complete.
 */
async function endStatementsOfDead(sql: Transaction): Promise<void> {
  await sql.savepoint((point) => point`set local client_connection_check_interval = '1s'`).catch(() => {})
}

/** Restores the members of an archive, in the order of `archive.ts`. */
class Restoring {
  readonly #inventory = new Inventory()
  #loader: Loader | undefined
  #packages = 0

  constructor(
    readonly sql: Sql,
    readonly staging: Staging,
  ) {}

  async take(read: ReadMember): Promise<void> {
    const { member, size, content } = read
    await this.#inventory.take(read)
    if (member.kind === 'schema') this.#loader = await Loader.start(this.sql, this.#inventory.schema())
    if (member.kind === 'rows') await this.#loader?.add(member.table, content)
    if (member.kind === 'repository') await this.staging.write(member, size, content)
    if (member.kind !== 'package') return
    this.#packages++
    await this.staging.write(member, size, matching(member.sha256, content))
  }

  async finish(now: Date): Promise<Omit<Restored, 'manifest'>> {
    const { sequences, contents } = this.#inventory.complete()
    await this.#loader?.finish(sequences)
    const { repositories, deleted } = contents
    const attempts = new Map(repositories.map(({ id, attempt }) => [id, attempt]))
    await this.staging.arrange(await placesOfRepositories(this.sql), attempts)
    for (const id of deleted.repositories) await releaseRepositories(this.sql, { id })
    await deleteFilesOf(this.sql, deleted.packages)
    await deleteAttachmentsWith(this.sql, deleted.packages)
    await deleteSitePicturesWith(this.sql, deleted.packages)
    await deleteAccountAvatars(this.sql, deleted.packages)
    await deleteRepositoryAvatars(this.sql, deleted.packages)
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
    this.#loader?.abort(asError(error))
  }
}

/** @throws BackupError at the end when the content does not have this hash */
async function* matching(sha256: string, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  yield* hashing(content, hash)
  if (hash.digest('hex') !== sha256) throw new BackupError(`package content ${sha256} is damaged`)
}

/** Reads a whole backup, compares all checksums and looks for missing parts, without a database. @throws BackupError */
export async function verify(file: string, watch: Watch): Promise<{ manifest: Manifest; members: number }> {
  let members = 0
  const inventory = new Inventory()
  const visit = async (read: ReadMember) => {
    members++
    await inventory.take(read)
    if (read.member.kind === 'package') for await (const _ of matching(read.member.sha256, read.content));
  }
  const manifest = await readArchive(file, visit, watch)
  inventory.complete()
  return { manifest, members }
}

/**
 * Removes the leftovers of a killed restore. If the database has committed, the restore is complete.
 * @throws BackupError when it has not: a server would use an empty database with the files of the backup
 */
export async function settleRestore(pool: Pool, dataDir: string): Promise<void> {
  if ((await kindOf(stagingFolder(dataDir))) === 'nothing') return
  if (await isUnused(pool, await tablesOf(pool)))
    throw new BackupError('a restore into DATA_DIR was not finished; run "forgehall restore" again')
  await rm(stagingFolder(dataDir), { recursive: true, force: true })
}
