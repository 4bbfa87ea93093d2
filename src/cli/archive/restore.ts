import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Manifest } from '../../backup/archive.ts'
import type { Watch } from '../../backup/reader.ts'
import { type Restored, restore, verify } from '../../backup/restore.ts'
import { stagingFolder } from '../../backup/staging.ts'
import { openBlobs } from '../../blobs/open.ts'
import { forbidRootInForeign, secureDataDir } from '../../common/data-dir.ts'
import { hasCode } from '../../common/errors.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import { lacksDatabase, removeDatabase } from '../../db/embedded.ts'
import { kindOf } from '../../git/repository/files.ts'
import { type Io, readArguments, stopSignal, UsageError } from '../command.ts'
import { withDatabase } from '../database.ts'
import { readKeys } from '../keys.ts'
import { createProgress } from './progress.ts'

/**
 * `forgehall restore [--verify] <file>`.
 * @throws UsageError, BackupError, Interrupted, errors of the database and of the file system
 */
export async function runRestore(io: Io, config: Config, args: readonly string[]): Promise<void> {
  const { name, onlyVerify } = readArgs(args)
  const file = resolve(name)
  const size = await sizeOf(file)
  const progress = createProgress(io.draw)
  let read = 0
  const onBytes = (bytes: number) => {
    read += bytes
    progress.update(read, size)
  }
  const watch = { onBytes, stopped: stopSignal(io.stopped) }
  try {
    if (onlyVerify) {
      const verified = await verify(file, watch)
      progress.end()
      io.print(`${file} is complete and undamaged: ${originOf(verified.manifest)}, ${verified.members} parts`)
      return
    }
    const restored = await restoreInto(file, config, io.stopped, watch)
    progress.end()
    await printResult(io, config, restored)
  } finally {
    progress.end()
  }
}

/** @throws UsageError when there is no such file */
async function sizeOf(file: string): Promise<number> {
  const status = await stat(file).catch((error: unknown) => {
    throw hasCode(error, 'ENOENT', 'ENOTDIR') ? new UsageError(`there is no file ${file}`) : error
  })
  if (status.isDirectory()) throw new UsageError(`${file} is a folder; a backup is a file`)
  return status.size
}

function readArgs(args: readonly string[]): { name: string; onlyVerify: boolean } {
  const { values, positionals } = readArguments(args, { verify: { type: 'boolean', default: false } })
  const [name, ...others] = positionals
  if (name !== undefined && others.length === 0) return { name, onlyVerify: values.verify }
  throw new UsageError('restore takes the file to read; --verify only checks it')
}

/** Restores, and after a failure removes a database that it has created. */
async function restoreInto(
  file: string,
  config: Config,
  stopped: Io['stopped'],
  watch: Watch,
): Promise<Restored> {
  const { dataDir, databaseUrl } = config
  await forbidRootInForeign(dataDir)
  await secureDataDir(dataDir)
  const isNew = databaseUrl === undefined && (await lacksDatabase(dataDir))
  try {
    return await withDatabase(
      config,
      ({ withoutTimeout }) => restoreTo(withoutTimeout, file, config, watch),
      stopped,
    )
  } catch (error) {
    // While there is a staging folder, the database may have committed without an answer.
    const hasFailed = (await kindOf(stagingFolder(dataDir))) === 'nothing'
    if (isNew && hasFailed) await removeDatabase(dataDir).catch(() => {})
    throw error
  }
}

async function restoreTo(
  withoutTimeout: Database['withoutTimeout'],
  file: string,
  config: Config,
  watch: Watch,
): Promise<Restored> {
  const { dataDir, s3 } = config
  const store = s3 && { blobs: openBlobs(config), address: `${s3.bucketUrl}/${s3.prefix}` }
  try {
    return await withoutTimeout((pool) => restore(file, { pool, dataDir, store, now: new Date() }, watch))
  } finally {
    store?.blobs.close()
  }
}

const originOf = ({ version, createdAt, schema }: Manifest) =>
  `made ${createdAt} by Forgehall ${version}, schema ${schema}`

async function printResult({ print, printError }: Io, config: Config, restored: Restored): Promise<void> {
  const { manifest, repositories, packages, deleted } = restored
  print(`restored: ${originOf(manifest)}`)
  print(`repositories: ${repositories}, package contents: ${packages}`)
  if (deleted > 0) print(`deleted while the backup was made, so not restored: ${deleted}`)
  const keys: readonly string[] = (await readKeys(config))?.keyIds ?? []
  const missing = manifest.keys.filter((id) => !keys.includes(id))
  if (missing.length > 0)
    printError(
      `this server does not have the key ${missing.join(' and ')}, which encrypts secrets in the backup: before the first start set it as SECRET_KEY, or put it into secret.key in DATA_DIR`,
    )
}
