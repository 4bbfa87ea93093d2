import { createHash } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'

/** Checksums that a file has besides its name, for clients that compare them. Each takes processor time. */
export const OTHER_DIGESTS = ['md5', 'sha1', 'sha512'] as const

export type OtherDigest = (typeof OTHER_DIGESTS)[number]

/** Checksums of a file, in lower-case hexadecimal digits; besides the SHA-256 those that the upload was started with. */
export type Digests = { readonly sha256: string } & { readonly [Kind in OtherDigest]?: string }

/** An upload in progress: a temporary file. */
export interface Upload {
  /** Writes the next chunk; only one call at a time. @throws Error of the file system */
  write: (chunk: Uint8Array) => Promise<void>
  /**
   * Resolves when all chunks are written, and on the disk if the upload is durable.
   * @throws Error of the file system
   */
  finish: () => Promise<CompleteUpload>
  /** Discards the upload. Never rejects, and does nothing once the file has been renamed to its name. */
  discard: () => Promise<void>
}

/** A complete upload. */
export interface CompleteUpload {
  readonly digests: Digests
  /** Bytes. */
  readonly size: number
  /** Path of the temporary file. */
  readonly path: string
}

/** Writes a new file and computes its SHA-256 and `others` on the way: it is never completely in memory. */
export async function openUpload(
  path: string,
  { durable, others }: { durable: boolean; others: readonly OtherDigest[] },
): Promise<Upload> {
  const file = await open(path, 'wx', 0o600)
  const sha256 = createHash('sha256')
  const hashes = others.map((kind) => [kind, createHash(kind)] as const)
  let size = 0
  let isOpen = true
  const close = async () => {
    if (!isOpen) return
    isOpen = false
    await file.close()
  }
  return {
    write: async (chunk) => {
      sha256.update(chunk)
      for (const [, hash] of hashes) hash.update(chunk)
      await writeAll(file, chunk)
      size += chunk.length
    },
    finish: async () => {
      if (durable) await file.sync()
      await close()
      const more: { [Kind in OtherDigest]?: string } = Object.fromEntries(
        hashes.map(([kind, hash]) => [kind, hash.digest('hex')]),
      )
      return { digests: { ...more, sha256: sha256.digest('hex') }, size, path }
    },
    discard: async () => {
      await close().catch(() => {})
      await rm(path, { force: true }).catch(() => {})
    },
  }
}

/** A disk that is nearly full may accept a part of a chunk before writing fails. */
async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, at)
    at += bytesWritten
  }
}
