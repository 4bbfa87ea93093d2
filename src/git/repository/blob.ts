import { closeSync, createReadStream, read } from 'node:fs'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { done } from '../../common/outcome.ts'
import type { OpenRepository } from '../program/git.ts'
import { openNameless } from '../program/nameless-file.ts'
import { isObjectId } from '../program/names.ts'
import { fault, type GitOutcome, incomplete } from '../program/outcome.ts'
import { type KnownRepository, maxCachedContent } from './cache/objects.ts'
import { readObject } from './objects.ts'

/** The content of a blob, for a client that may read slowly. */
interface BlobContent {
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

/** Whether a content is small enough to be in memory while its client reads it. */
export const isSmallBlob = (size: number): boolean => size <= maxCachedContent

/** The content of a small blob with this id. Faults: those of git; failed: no such blob. */
export async function readSmallBlob(repository: KnownRepository, id: string): Promise<GitOutcome<Buffer>> {
  if (!isObjectId(id)) return fault('name', `not an object id: ${id}`)
  const object = await readObject(repository, id, maxCachedContent)
  if (!object.ok) return object
  const { type, content } = object.value ?? {}
  return type === 'blob' && content
    ? done(content)
    : incomplete(repository.directory, `${id} is not a readable blob`)
}

/**
 * The content of a blob with this id. It waits in a file that has no name, so that a slow client holds neither a git
 * process nor the content in memory. Faults: those of git; failed: no such blob.
 */
export async function openBlob(
  { git, directory }: OpenRepository,
  id: string,
  { first, last }: Span,
): Promise<GitOutcome<BlobContent>> {
  if (!isObjectId(id)) return fault('name', `not an object id: ${id}`)
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
