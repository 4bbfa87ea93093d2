import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Manifest } from '../../backup/archive.ts'
import { type Restored, restore, verify } from '../../backup/restore.ts'
import { openBlobs } from '../../blobs/open.ts'
import type { Config } from '../../config.ts'
import { secureDataDir } from '../../data-dir.ts'
import { type Io, readArguments, stopCheck, UsageError } from '../command.ts'
import { withDatabase } from '../database.ts'
import { readKeys } from '../keys.ts'
import { createProgress } from './progress.ts'

/**
 * `forgehall restore [--verify] <file>`.
 * @throws UsageError, BackupError, Interrupted, errors of the database and of the file system
 */
export async function runRestore(io: Io, config: Config, words: readonly string[]): Promise<void> {
  const { name, onlyVerify } = readWords(words)
  const file = resolve(name)
  const found = await stat(file)
  if (found.isDirectory()) throw new UsageError(`${file} is a folder; a backup is a file`)
  const { size } = found
  const progress = createProgress(io.draw)
  let read = 0
  const throwIfStopped = stopCheck(io.stopped)
  const onBytes = (bytes: number) => {
    throwIfStopped()
    read += bytes
    progress.update(read, size)
  }
  try {
    if (onlyVerify) {
      const verified = await verify(file, onBytes)
      progress.end()
      io.print(`${file} is complete and undamaged: ${originOf(verified.manifest)}, ${verified.members} parts`)
      return
    }
    const restored = await restoreInto(file, config, onBytes)
    progress.end()
    await tell(io, config, restored)
  } finally {
    progress.end()
  }
}

function readWords(words: readonly string[]): { name: string; onlyVerify: boolean } {
  const { values, positionals } = readArguments(words, { verify: { type: 'boolean', default: false } })
  const [name, ...others] = positionals
  if (name !== undefined && others.length === 0) return { name, onlyVerify: values.verify }
  throw new UsageError('restore takes the file to read; --verify only checks it')
}

async function restoreInto(
  file: string,
  config: Config,
  onBytes: (bytes: number) => void,
): Promise<Restored> {
  await secureDataDir(config.dataDir)
  const { dataDir, s3 } = config
  const store = s3 && { blobs: openBlobs(config), address: `${s3.bucketUrl}/${s3.prefix}` }
  try {
    return await withDatabase(config, ({ withoutTimeout }) =>
      withoutTimeout((pool) => restore(file, { pool, dataDir, store, now: new Date() }, onBytes)),
    )
  } finally {
    store?.blobs.close()
  }
}

const originOf = ({ version, createdAt, schema }: Manifest) =>
  `made ${createdAt} by Forgehall ${version}, schema ${schema}`

async function tell({ print, printError }: Io, config: Config, restored: Restored): Promise<void> {
  const { manifest, repositories, packages, deleted } = restored
  print(`restored: ${originOf(manifest)}`)
  print(`repositories: ${repositories}, package contents: ${packages}`)
  if (deleted > 0) print(`deleted while the backup was made, and left out: ${deleted}`)
  const keys: readonly string[] = (await readKeys(config))?.keyIds ?? []
  const missing = manifest.keys.filter((id) => !keys.includes(id))
  if (missing.length > 0)
    printError(
      `this server does not have the key ${missing.join(' and ')}, which encrypts secrets in the backup: before the first start set it as SECRET_KEY, or put it into secret.key in DATA_DIR`,
    )
}
