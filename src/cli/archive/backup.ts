import { resolve } from 'node:path'
import * as v from 'valibot'
import { type BackupReport, backup } from '../../backup/backup.ts'
import { openBlobs } from '../../blobs/open.ts'
import { messageOf } from '../../common/errors.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import { lacksDatabase } from '../../db/embedded.ts'
import { LockedError } from '../../db/lock.ts'
import { existsTable } from '../../db/migrate/required.ts'
import type { Pool } from '../../db/sql.ts'
import { type Io, SetupError, stopSignal, UsageError, unlessStopped } from '../command.ts'
import { withDatabase } from '../database.ts'
import { streamFromServer, untilServed } from '../socket.ts'
import { frameOf, readFrames } from './frames.ts'
import { createProgress, sizeText } from './progress.ts'
import { writeWhole } from './whole-file.ts'

const clock = () => new Date()

/**
 * `forgehall backup <file>`. A server that holds the embedded database sends the backup, and this process writes it:
 * the server may not be allowed to write there.
 * @throws UsageError, BackupError, Interrupted, errors of the database and of the file system
 */
export async function runBackup(io: Io, config: Config, args: readonly string[]): Promise<void> {
  const [name, ...others] = args
  if (name === undefined || name.startsWith('-') || others.length > 0)
    throw new UsageError('backup takes the file to write')
  const file = resolve(name)
  const progress = createProgress(io.draw)
  const stopped = stopSignal(io.stopped)
  const began = performance.now()
  let read = 0
  const report: BackupReport = {
    progress: (done, total) => {
      stopped.throwIfAborted()
      read = done
      progress.update(done, total)
    },
    warn: io.printError,
  }
  try {
    const size = await write(file, config, report, io.stopped)
    progress.end()
    const rate = (1000 * read) / (performance.now() - began)
    io.print(`${file}: ${sizeText(size)}, from ${sizeText(read)} at ${sizeText(rate)}/s`)
  } finally {
    progress.end()
  }
}

async function write(
  file: string,
  config: Config,
  report: BackupReport,
  stopped: Io['stopped'],
): Promise<number> {
  const { databaseUrl, dataDir } = config
  const response = databaseUrl === undefined ? await streamFromServer(dataDir) : undefined
  if (response) return await writeWhole(file, received(response, report))
  if (databaseUrl === undefined && (await lacksDatabase(dataDir)))
    throw new UsageError(`there is no database in ${dataDir}: set DATA_DIR to the folder of the server`)
  const writing = async ({ pool, withoutTimeout }: Database) => {
    if (!(await existsTable(pool, 'forgehall.migration')))
      throw new UsageError('the database has no schema: set DATABASE_URL to the database of the server')
    return await withoutTimeout((patientPool) =>
      writeWhole(file, backupOf({ pool, patientPool }, config, report)),
    )
  }
  return await withDatabase(config, writing, stopped).catch(async (error: unknown) => {
    if (!(error instanceof LockedError)) throw error
    const sent = untilServed(() => streamFromServer(dataDir), error)
    return await writeWhole(file, received(await unlessStopped(stopped, sent), report))
  })
}

async function* backupOf(
  pools: { pool: Pool; patientPool: Pool },
  config: Config,
  report: BackupReport,
): AsyncGenerator<Buffer> {
  const { dataDir, databaseUrl } = config
  const database = databaseUrl === undefined ? 'embedded' : 'postgresql'
  const blobs = openBlobs(config)
  try {
    const source = { ...pools, dataDir, blobs, database, version: __VERSION__, now: clock() } as const
    yield* backup(source, report)
  } finally {
    blobs.close()
  }
}

const Step = v.object({ done: v.number(), total: v.number() })

/** The bytes of a backup that a server sends. @throws SetupError with the server's message */
async function* received(response: AsyncIterable<Buffer>, report: BackupReport): AsyncGenerator<Buffer> {
  for await (const { kind, payload } of readFrames(response)) {
    if (kind === 'data') yield payload
    else if (kind === 'warning') report.warn(payload.toString())
    else if (kind === 'error') throw new SetupError(payload.toString())
    else if (kind === 'progress') {
      const { done, total } = v.parse(Step, JSON.parse(payload.toString()))
      report.progress(done, total)
    }
  }
}

/** A backup of the embedded database of this process, as messages for another one. */
export async function* backupFrames(pool: Pool, config: Config): AsyncGenerator<Buffer> {
  const notes: Buffer[] = []
  let step = { done: 0, total: 0 }
  const report: BackupReport = {
    progress: (done, total) => {
      step = { done, total }
    },
    warn: (sentence) => notes.push(frameOf('warning', sentence)),
  }
  try {
    for await (const chunk of backupOf({ pool, patientPool: pool }, config, report)) {
      yield* notes.splice(0)
      yield frameOf('progress', JSON.stringify(step))
      yield frameOf('data', chunk)
    }
    yield* notes
    yield frameOf('end')
  } catch (error) {
    yield frameOf('error', messageOf(error))
  }
}
