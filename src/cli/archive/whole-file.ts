import { access, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writeChunks } from '../../backup/streams.ts'
import { isDiskFull, messageOf } from '../../errors.ts'
import { sync } from '../../fsync.ts'
import { SetupError, UsageError } from '../command.ts'

/**
 * Writes a file that is there as a whole or not at all: under a temporary name until all of it is on the disk. What a
 * killed process leaves ends in `.partial`; the next backup to the same file takes its place.
 * @throws UsageError when the file exists, SetupError when the disk is full, errors of the file system and of `chunks`
 */
export async function writeWhole(path: string, chunks: AsyncIterable<Buffer>): Promise<number> {
  if (await exists(path)) throw new UsageError(`${path} exists already; choose another name`)
  const partial = `${path}.partial`
  const file = await open(partial, 'w', 0o600)
  let size: number
  try {
    try {
      size = await writeChunks(file, chunks)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true })
    throw isDiskFull(error) ? new SetupError(`${path} cannot be written: ${messageOf(error)}`) : error
  }
  await sync(dirname(path))
  return size
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )
