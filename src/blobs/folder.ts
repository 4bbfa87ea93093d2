import { lstat, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { hasCode } from '../common/errors.ts'
import { sync } from '../common/fsync.ts'
import { entriesOf, kindOf } from '../git/repository/files.ts'
import { type Blobs, type Content, isName, pathOfName, type Span } from './blobs.ts'
import { createSpool, spoolName } from './spool.ts'
import { verified } from './verified.ts'

/**
 * Contents as files. Uploads are written to `<root>/.temporary` and renamed when they are completely on the disk, so
 * that a crash never leaves a partial file under its name. Folders are created when they are needed.
 */
export function createFolder(root: string): Blobs {
  const spool = createSpool(join(root, spoolName), { durable: true })
  const pathOf = (sha256: string) => join(root, pathOfName(sha256))
  const blobs: Blobs = {
    location: 'on the disk',
    startUpload: spool.startUpload,
    prepare: async () => {},
    place: ({ digests, path }) => place(path, pathOf(digests.sha256)),
    read: async (sha256, span) => readFile(sha256, pathOf(sha256), span),
    has: async (sha256) => (await kindOf(pathOf(sha256))) === 'file',
    remove: async (sha256) => {
      await rm(pathOf(sha256), { force: true })
    },
    names: () => namesIn(root),
    settledNames: () => namesIn(root),
    tidy: spool.tidy,
    check: async () => {},
    forRequest: () => blobs,
    close: () => {},
  }
  return blobs
}

/** If the file exists already, it is replaced by an equal one; open handles of the old one stay readable. */
async function place(from: string, to: string): Promise<void> {
  const folder = join(to, '..')
  const made = await mkdir(folder, { recursive: true })
  try {
    await rename(from, to)
  } catch (error) {
    // An earlier attempt may have renamed it.
    const isPlaced = hasCode(error, 'ENOENT') && (await lstat(to).catch(() => undefined))
    if (!isPlaced) throw error
  }
  await sync(folder)
  if (made !== undefined) await sync(join(folder, '..'))
}

async function readFile(sha256: string, path: string, span?: Span): Promise<Content | undefined> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  })
  if (!file) return undefined
  try {
    if (span) {
      const stream = file.createReadStream({ start: span.first, end: span.last })
      return { size: span.last - span.first + 1, stream }
    }
    const { size } = await file.stat()
    const whole = file.createReadStream()
    const stream = Readable.from(verified(sha256, whole), { objectMode: false })
    // If the stream is never read, the generator never starts.
    stream.once('close', () => whole.destroy())
    return { size, stream }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function* namesIn(root: string): AsyncGenerator<string> {
  for (const folder of await entriesOf(root)) {
    if (!folder.isDirectory() || !/^[0-9a-f]{2}$/.test(folder.name)) continue
    for (const { name } of await entriesOf(join(root, folder.name))) {
      if (isName(name) && name.startsWith(folder.name)) yield name
    }
  }
}
