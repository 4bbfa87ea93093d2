import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after } from 'node:test'
import { createGunzip, gzipSync } from 'node:zlib'
import { extract, pack } from 'tar-stream'
import type { Environment } from '../support/binary.ts'
import { openTestDatabase, place } from '../support/database.ts'
import { temporaryFolder } from '../support/folder.ts'

/** A folder for archives and data, gone after the tests of this file. */
export async function folderForBackups(): Promise<string> {
  const folder = await temporaryFolder(place)
  return folder
}

/** An empty place to restore to: a new folder, and on request a database on the server. */
export async function emptyPlace(
  kind: 'embedded' | 'postgresql',
): Promise<Environment & { DATA_DIR: string }> {
  const folder = await folderForBackups()
  const rest = { DATA_DIR: join(folder, 'data'), SECRET_KEY: secretKey }
  if (kind === 'embedded') return rest
  const database = await openTestDatabase(1)
  after(() => database.close())
  return { ...rest, DATABASE_URL: database.url ?? '' }
}

/** Restored databases need the key of the first one. */
export const secretKey = 'a key for backups that is long enough'

/** A member of an archive. */
export interface TarMember {
  name: string
  content: string
  type?: 'file' | 'symlink' | 'directory'
  linkname?: string
  /** What the header claims, instead of the length of the content. */
  size?: number
  /** What the header claims, instead of the type (POSIX ustar), such as x for a pax header. */
  typeflag?: string
}

/** All members of an archive, read by the library alone. */
export async function membersOf(file: string): Promise<TarMember[]> {
  const members = createReadStream(file).pipe(createGunzip()).pipe(extract())
  const found: TarMember[] = []
  for await (const entry of members) found.push({ name: entry.header.name, content: await latin1Of(entry) })
  return found
}

async function latin1Of(entry: AsyncIterable<unknown>): Promise<string> {
  let all = ''
  for await (const chunk of entry) if (Buffer.isBuffer(chunk)) all += chunk.toString('latin1')
  return all
}

/** Writes an archive of these members; content is Latin-1. */
export async function writeArchiveOf(file: string, members: readonly TarMember[]): Promise<void> {
  const archive = pack()
  const chunks: Buffer[] = []
  const read = (async () => {
    for await (const chunk of archive) if (Buffer.isBuffer(chunk)) chunks.push(chunk)
  })()
  for (const { name, content, type = 'file', linkname } of members)
    archive.entry({ name, type, ...(linkname && { linkname }) }, Buffer.from(content, 'latin1'))
  archive.finalize()
  await read
  await writeFile(file, gzipSync(withSizes(Buffer.concat(chunks), members)))
}

/** Puts claimed sizes and types into the headers, whose checksums follow (POSIX ustar). */
function withSizes(tar: Buffer, members: readonly TarMember[]): Buffer {
  for (const { name, size, typeflag = '0' } of members) {
    const at = size === undefined ? -1 : tar.indexOf(`${name}\0`)
    if (size === undefined || at === -1) continue
    const header = tar.subarray(at, at + 512)
    header.write(typeflag, 156, 'latin1')
    header.write(`${size.toString(8).padStart(11, '0')} `, 124, 'latin1')
    header.write('        ', 148, 'latin1')
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  }
  return tar
}
