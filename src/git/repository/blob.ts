import { closeSync, createReadStream, read } from 'node:fs'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { done } from '../../outcome.ts'
import type { OpenRepository } from '../program/git.ts'
import { openNameless } from '../program/nameless-file.ts'
import { isObjectId } from '../program/names.ts'
import { fault, type GitOutcome } from '../program/outcome.ts'
import { readObject } from './objects.ts'

/** The content of a blob, for a client that may read slowly. */
export interface BlobContent {
  /** The first bytes, at most that many. */
  start: (count: number) => Promise<Buffer>
  /** All of it, or the bytes of `span`. Must be destroyed in the end. */
  stream: Readable
}

interface Span {
  /** The first and the last byte, both inclusive. */
  first: number
  last: number
}

/** Bytes of a content that waits in memory for its client. */
const maxInMemory = 64 * 1024

/**
 * The content of a blob with this id and size. A larger one waits in a file that has no name, so that a slow client
 * holds neither a git process nor the content in memory. Faults: those of git; failed: no such blob.
 */
export async function openBlob(
  repository: OpenRepository,
  { id, size, span = { first: 0, last: size - 1 } }: { id: string; size: number; span?: Span },
): Promise<GitOutcome<BlobContent>> {
  if (!isObjectId(id)) return fault('name', `not an object id: ${id}`)
  return size > maxInMemory ? fileOf(repository, id, span) : bytesOf(repository, id, span)
}

async function bytesOf(
  repository: OpenRepository,
  id: string,
  { first, last }: Span,
): Promise<GitOutcome<BlobContent>> {
  const object = await readObject(repository, id, maxInMemory)
  if (!object.ok) return object
  const { type, content } = object.value ?? {}
  if (type !== 'blob' || !content) return fault('failed', `${id} is not a readable blob`)
  const part = content.subarray(first, last + 1)
  return done({ start: async (count) => content.subarray(0, count), stream: Readable.from([part]) })
}

async function fileOf(
  { git, directory }: OpenRepository,
  id: string,
  { first, last }: Span,
): Promise<GitOutcome<BlobContent>> {
  const file = openNameless(git.home)
  if (file === undefined) return fault('failed', `no file can be created in ${git.home}`)
  const written = await git.run(directory, ['cat-file', 'blob', id], { file })
  if (!written.ok) {
    closeSync(file)
    return written
  }
  const start = async (count: number) => {
    const { bytesRead, buffer } = await readFrom(file, Buffer.alloc(count), 0, count, 0)
    return buffer.subarray(0, bytesRead)
  }
  return done({ start, stream: createReadStream('', { fd: file, start: first, end: last }) })
}

const readFrom = promisify(read)
