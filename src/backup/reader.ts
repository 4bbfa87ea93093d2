import { createHash } from 'node:crypto'
import { constants, createReadStream, openSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract, type Header } from 'tar-stream'
import * as v from 'valibot'
import { asError, hasCode, messageOf, OperatorError } from '../common/errors.ts'
import { BackupError, formatVersion, Manifest, type Member, memberNames, memberOf } from './archive.ts'
import { buffersOf, hashing } from './streams.ts'

/** Maximum bytes of a member that is read into memory. */
const maxText = 64 * 1024 * 1024
const maxSums = 512 * 1024 * 1024

/** Bytes that a thread reads and unpacks in one step. */
const chunkSize = 256 * 1024

/** A member as the library reads it. */
type Entry = AsyncIterable<unknown> & { header: Header }

/** A member of an archive, whose content must be read before the next one. */
export interface ReadMember {
  member: Member
  name: string
  size: number
  content: AsyncIterable<Buffer>
}

/** Observes and stops the reading of an archive. */
export interface Watch {
  onBytes: (bytes: number) => void
  /** Ends it with the reason of the signal, also while the file yields no bytes (a pipe, an interrupted network). */
  stopped: AbortSignal
}

/**
 * Reads an archive from the first byte to the last, calls `visit` for every member but the manifest, which is the first,
 * and the checksums, and compares these at the end. When this rejects, the caller must undo the effects of `visit`.
 * @throws BackupError for anything but a complete and undamaged archive of this format
 */
export async function readArchive(
  file: string,
  visit: (member: ReadMember) => Promise<void>,
  { onBytes, stopped }: Watch,
): Promise<Manifest> {
  stopped.throwIfAborted()
  const source = await openSource(file)
  const members = extract()
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      onBytes(chunk.length)
      yield chunk
    }
  }
  let unpacking: unknown
  const piped = pipeline(source, counted, createGunzip({ chunkSize }), members).catch((error) => {
    unpacking = error
  })
  const stop = () => members.destroy(asError(stopped.reason))
  stopped.addEventListener('abort', stop)
  try {
    return await readMembers(members, visit)
  } catch (error) {
    members.destroy()
    stopped.throwIfAborted()
    await piped
    // An error of the pipeline is the cause, unless it only reports that `members` was destroyed.
    const isCause = unpacking !== undefined && !hasCode(unpacking, 'ERR_STREAM_PREMATURE_CLOSE')
    throw isCause && !(error instanceof BackupError) ? asBackupError(file, unpacking) : error
  } finally {
    stopped.removeEventListener('abort', stop)
  }
}

/**
 * The bytes of a file. A pipe is read without a thread, since one that waits for bytes keeps the process from ending, whatever
 * signal it gets.
 */
async function openSource(file: string): Promise<Readable> {
  const isPipe = await stat(file).then(
    (found) => found.isFIFO(),
    () => false,
  )
  if (!isPipe) return createReadStream(file, { highWaterMark: chunkSize })
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  return new Socket({ fd, readable: true, writable: false })
}

/** A BackupError for errors of gzip and tar; errors of the system are returned unchanged. */
function asBackupError(file: string, error: unknown): unknown {
  if (error instanceof OperatorError || (error instanceof Error && 'syscall' in error)) return error
  return new BackupError(`${file} is damaged, incomplete or not a backup: ${messageOf(error)}`)
}

async function readMembers(
  entries: AsyncIterable<Entry>,
  visit: (member: ReadMember) => Promise<void>,
): Promise<Manifest> {
  const sums = new Map<string, string>()
  let manifest: Manifest | undefined
  let isComplete = false
  for await (const entry of entries) {
    const { name, size, type } = entry.header
    const member = type === 'file' ? memberOf(name) : undefined
    if (!member || isComplete) throw new BackupError(`${JSON.stringify(name)} does not belong in a backup`)
    if (sums.has(name)) throw new BackupError(`the backup has ${JSON.stringify(name)} twice`)
    if (member.kind === 'sums') {
      compareSums(await textOf(buffersOf(entry), maxSums), sums)
      isComplete = true
      continue
    }
    const hash = createHash('sha256')
    const content = hashing(buffersOf(entry), hash)
    if (member.kind === 'manifest') manifest = manifestOf(await textOf(content, maxText))
    else if (!manifest) throw new BackupError('this is not a backup: it does not begin with a manifest')
    else await visit({ member, name, size, content })
    // The checksum also covers what the caller did not read.
    for await (const _ of content);
    sums.set(name, hash.digest('hex'))
  }
  if (!manifest || !isComplete) throw new BackupError('the backup is incomplete: its end is missing')
  return manifest
}

function manifestOf(text: string): Manifest {
  const manifest = parseMember(v.object({ format: v.number() }), text, memberNames.manifest)
  if (manifest.format !== formatVersion)
    throw new BackupError(
      `the backup has the format ${manifest.format}, and this version of Forgehall reads ${formatVersion}; restore it with the version that wrote it`,
    )
  return parseMember(Manifest, text, memberNames.manifest)
}

/** Parses a JSON member. @throws BackupError */
export function parseMember<Shape extends v.GenericSchema>(
  shape: Shape,
  text: string,
  name: string,
): v.InferOutput<Shape> {
  try {
    return v.parse(shape, JSON.parse(text))
  } catch (error) {
    throw new BackupError(`${name} of the backup is damaged: ${messageOf(error)}`)
  }
}

/** The text of a member of at most `maximum` bytes. @throws BackupError */
export async function textOf(content: AsyncIterable<Buffer>, maximum = maxText): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of content) {
    size += chunk.length
    if (size > maximum) throw new BackupError('a member of the backup is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Compares line by line, to name the first member that differs. */
function compareSums(text: string, sums: ReadonlyMap<string, string>): void {
  const listed = text.split('\n').filter((line) => line !== '')
  const lines = new Set(listed)
  for (const [name, sum] of sums)
    if (!lines.has(`${sum}  ${name}`)) throw mismatch(`${JSON.stringify(name)} is damaged`)
  if (listed.length > sums.size) throw mismatch('a member is missing')
}

const mismatch = (sentence: string) => new BackupError(`the checksums do not match: ${sentence}`)
