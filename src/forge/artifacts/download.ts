import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Blobs, Span } from '../../blobs/blobs.ts'
import { StoreError } from '../../blobs/store-error.ts'
import type { Sql } from '../../db/sql.ts'
import { sendFile } from '../../http/pipeline/file.ts'
import { zipOf } from '../../http/pipeline/zip.ts'
import { notFound } from '../../http/route/problem.ts'
import type { Stream } from '../../http/route/results.ts'
import { contentProblem } from '../blobs/content-problem.ts'
import type { ForgeContext } from '../route.ts'
import { partsOf, type StoredArtifact, type StoredPart } from './artifact-store.ts'

type Context = Pick<ForgeContext<unknown>, 'sql' | 'tools' | 'from'>

/** Sends an artifact: its content, or the part that `Range` selects; of a set of files a zip archive. */
export async function artifactContent(
  { sql, tools, from }: Context,
  artifact: StoredArtifact,
): Promise<Stream> {
  const parts = await partsOf(sql, artifact.id)
  const blobs = tools.blobs.forRequest(from.id)
  const { media_type: type, name } = artifact
  if (type === null) return archiveOf(blobs, name, parts)
  return sendParts(blobs, parts, { type, name: type === 'application/zip' ? `${name}.zip` : name })
}

/** Bytes of all parts. */
export const sizeOf = (parts: readonly StoredPart[]) => parts.reduce((sum, { size }) => sum + size, 0)

/** Sends one content that consists of parts, under this name. */
export function sendParts(
  blobs: Blobs,
  parts: readonly StoredPart[],
  { type, name, headers }: { type: string; name: string; headers?: Readonly<Record<string, string>> },
): Stream {
  const size = sizeOf(parts)
  const etag = createHash('sha256')
    .update(parts.map(({ sha256 }) => sha256).join(' '))
    .digest('hex')
  return async (req, res) => {
    try {
      await sendFile(req, res, {
        size,
        type,
        name,
        etag: `"${etag}"`,
        ...(headers && { headers }),
        read: async (span) => Readable.from(chunksOf(blobs, parts, span), { objectMode: false }),
        exists: async () => true,
      })
    } catch (error) {
      throw contentProblem(error) ?? error
    }
  }
}

/**
 * The bytes of parts one after the other, or those within `span`. The store compares the checksum of each whole part, unless
 * `isTrusted`: who computes a checksum of all bytes needs no others.
 * @throws StoreError
 */
export async function* chunksOf(
  blobs: Blobs,
  parts: readonly StoredPart[],
  span: Pick<Span, 'first' | 'last'> = { first: 0, last: Number.MAX_SAFE_INTEGER },
  { isTrusted = false }: { isTrusted?: boolean } = {},
): AsyncGenerator<Buffer> {
  let start = 0
  for (const { sha256, size } of parts) {
    const [first, last] = [Math.max(span.first - start, 0), Math.min(span.last - start, size - 1)]
    start += size
    if (first > last) continue
    const isChecked = first === 0 && last === size - 1 && !isTrusted
    const content = await blobs.read(sha256, isChecked ? undefined : { first, last, of: size })
    if (!content) throw new StoreError('damaged', `the content ${sha256} is missing`)
    yield* content.stream
  }
}

/** A set of files as a zip archive. */
function archiveOf(blobs: Blobs, name: string, parts: readonly StoredPart[]): Stream {
  const files = new Map<string, StoredPart[]>()
  for (const part of parts) {
    const pieces = files.get(part.path)
    if (pieces) pieces.push(part)
    else files.set(part.path, [part])
  }
  const entries = [...files].map(([path, pieces]) => ({ path, open: () => fileOf(blobs, pieces) }))
  return zipOf(`${name}.zip`, entries)
}

/** A file of a set, as its job had it. */
function fileOf(blobs: Blobs, pieces: readonly StoredPart[]): Readable {
  const bytes = Readable.from(chunksOf(blobs, pieces), { objectMode: false })
  if (!pieces[0]?.is_gzipped) return bytes
  const file = createGunzip()
  bytes.once('error', (error) => file.destroy(error))
  file.once('close', () => bytes.destroy())
  return bytes.pipe(file)
}

/** The parts of one file of a set. @throws Problem 404 */
export async function partsOfFile(sql: Sql, artifact: number, path: string): Promise<StoredPart[]> {
  const parts = (await partsOf(sql, artifact)).filter((part) => part.path === path)
  if (parts.length === 0) throw notFound()
  return parts
}
