import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Blobs } from '../blobs/blobs.ts'
import { StoreError } from '../blobs/store-error.ts'
import { recordedKeys } from '../db/encryption/secret-key-check.ts'
import { appliedMigrations } from '../db/migrate/applied.ts'
import type { Pool, Sql } from '../db/sql.ts'
import { isUsedBlob, knownBlobs, sizeOfBlobs } from '../forge/blobs/blob-store.ts'
import { placeOf, placesOfRepositories } from '../forge/repos/repo-query-store.ts'
import { folderOf, type RepositoryPlace } from '../forge/repos/repo-store.ts'
import { repositoryPath } from '../git/program/names.ts'
import { kindOf, treeBytes } from '../git/repository/files.ts'
import {
  BackupError,
  type Contents,
  formatVersion,
  type Manifest,
  memberNames,
  packageName,
  repositoryName,
} from './archive.ts'
import { dumpDatabase } from './dump.ts'
import { addRepository } from './repository-files.ts'
import { sizeOfTables } from './tables.ts'
import { ArchiveWriter } from './writer.ts'

/** The source of a backup. */
interface BackupSource {
  pool: Pool
  /** A pool without a timeout of statements; the embedded database has only one pool. */
  patientPool: Pool
  dataDir: string
  /** The contents of packages. */
  blobs: Blobs
  database: Manifest['database']
  /** Version of this program. */
  version: string
  now: Date
}

/** Receives the progress and the warnings of a backup. */
export interface BackupReport {
  /** Bytes added so far, and an estimate of all; both before compression. */
  progress: (done: number, total: number) => void
  /** A sentence about something that is missing in the source, and so in the backup. */
  warn: (sentence: string) => void
}

/** Maximum attempts to read a repository, which may move meanwhile. */
const maxAttempts = 6

/**
 * The bytes of a backup, made while the server runs. It reads the database as of one moment (the snapshot), and every
 * repository after that: all refs lead to existing objects, and a restore measures repositories again that are newer than
 * their rows. It reads contents of packages before the snapshot, since the clean-up removes contents that no row uses, and
 * those that were added until the snapshot after it. It lists what was deleted after the snapshot, so that a restore
 * deletes it.
 * @throws BackupError, errors of the database and of the file system
 */
export async function* backup(source: BackupSource, report: BackupReport): AsyncGenerator<Buffer> {
  const total = await estimate(source)
  let done = 0
  const archive = new ArchiveWriter(source.now, (bytes) => {
    done += bytes
    report.progress(done, Math.max(total, done))
  })
  const filled = fill(archive, source, report).catch((error) => archive.fail(error))
  try {
    yield* archive.compressed()
  } finally {
    archive.fail(new Error('the reader of the backup has disconnected'))
    await filled
  }
}

async function estimate({ pool, dataDir }: BackupSource): Promise<number> {
  const sizes = await Promise.all([
    sizeOfTables(pool),
    treeBytes(join(dataDir, 'repositories')),
    sizeOfBlobs(pool),
  ])
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function fill(archive: ArchiveWriter, source: BackupSource, report: BackupReport): Promise<void> {
  const { pool, patientPool, blobs } = source
  const packages = { archive, pool, blobs }
  await archive.addJson(memberNames.manifest, await manifestOf(source))
  const early = await addPackages(packages, await knownBlobs(pool), new Set())
  const inSnapshot = async (sql: Sql) => ({
    blobs: await knownBlobs(sql),
    repositories: await placesOfRepositories(sql),
  })
  const snapshot = await dumpDatabase(patientPool, archive, inSnapshot)
  const late = await addPackages(packages, snapshot.blobs, early.added)
  for (const sha256 of late.damaged) report.warn(`package content ${sha256} is missing ${blobs.location}`)
  const repositories = await addRepositories(archive, source, snapshot.repositories, report)
  const contents: Contents = {
    repositories: repositories.added,
    deleted: { repositories: repositories.deleted, packages: late.deleted },
  }
  await archive.addJson(memberNames.contents, contents)
  await archive.finish()
}

async function manifestOf({ pool, database, version, now }: BackupSource): Promise<Manifest> {
  const schema = (await appliedMigrations(pool)).at(-1) ?? ''
  const keys = await recordedKeys(pool)
  return { format: formatVersion, version, createdAt: now.toISOString(), database, schema, keys }
}

/** Adds contents that are not among `added`. */
async function addPackages(
  { archive, pool, blobs }: { archive: ArchiveWriter; pool: Pool; blobs: Blobs },
  names: readonly string[],
  added: ReadonlySet<string>,
) {
  const result = { added: new Set(added), deleted: [] as string[], damaged: [] as string[] }
  for (const sha256 of names) {
    if (added.has(sha256)) continue
    const content = await blobs.read(sha256)
    if (!content) {
      const list = (await isUsedBlob(pool, sha256)) ? result.damaged : result.deleted
      list.push(sha256)
      continue
    }
    try {
      await archive.addStream(packageName(sha256), content.stream, content.size)
    } catch (error) {
      // An incomplete member cannot be removed, and a restore would reject the archive.
      const isDamaged = error instanceof StoreError && error.kind === 'damaged'
      throw isDamaged ? new BackupError(`${error.message}; restore it or delete its package first`) : error
    } finally {
      content.stream.destroy()
    }
    result.added.add(sha256)
  }
  return result
}

async function addRepositories(
  archive: ArchiveWriter,
  { pool, dataDir }: BackupSource,
  rows: readonly RepositoryPlace[],
  { warn }: BackupReport,
) {
  const result = { added: [] as { id: number; attempt: number }[], deleted: [] as number[] }
  for (const row of rows) {
    const outcome = await addOne(archive, pool, join(dataDir, 'repositories'), row)
    if (typeof outcome === 'number' && (await hasAlternates(dataDir, row)))
      warn(
        `the repository ${row.folder_owner}/${row.folder_name} reads objects of another directory, which this backup lacks`,
      )
    if (typeof outcome === 'number') result.added.push({ id: row.id, attempt: outcome })
    else if (outcome === 'deleted') result.deleted.push(row.id)
    else if (row.state === 'ready')
      warn(`the repository ${row.folder_owner}/${row.folder_name} is incomplete on the disk`)
  }
  if (rows.length > 0 && result.added.length + result.deleted.length === 0 && rows.some(isReady))
    throw new BackupError(
      `none of ${rows.length} repositories is below ${dataDir}: is DATA_DIR the folder of the server?`,
    )
  return result
}

/** Whether a repository reads objects of another directory; an earlier release adopted such repositories. */
async function hasAlternates(dataDir: string, row: RepositoryPlace): Promise<boolean> {
  const { owner, name } = folderOf(row)
  const folder = repositoryPath(join(dataDir, 'repositories'), owner, name)
  return folder !== undefined && (await kindOf(join(folder, 'objects', 'info', 'alternates'))) !== 'nothing'
}

const isReady = ({ state }: RepositoryPlace) => state === 'ready'

/**
 * Adds one repository, wherever its directory is; returns the number of the attempt. Its row is read again at the end:
 * another repository may have taken over the path.
 */
async function addOne(
  archive: ArchiveWriter,
  pool: Pool,
  root: string,
  row: RepositoryPlace,
): Promise<number | 'deleted' | 'damaged'> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const before = await placeOf(pool, row.id)
    if (!before || before.state === 'removing') return 'deleted'
    const { owner, name } = folderOf(before)
    const folder = repositoryPath(root, owner, name)
    if (folder !== undefined && (await kindOf(folder)) === 'directory') {
      const isWhole = await addRepository(archive, repositoryName(row.id, attempt), folder)
      const after = await placeOf(pool, row.id)
      if (isWhole && after && isSamePlace(before, after)) return attempt
    }
    // A move changes the disk before the row.
    if (row.state === 'ready') await pause(50 * attempt)
  }
  return 'damaged'
}

const isSamePlace = (one: RepositoryPlace, other: RepositoryPlace) =>
  one.folder_owner === other.folder_owner && one.folder_name === other.folder_name
