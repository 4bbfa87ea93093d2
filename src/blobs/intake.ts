import { createHash } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'

/** Checksums of a content, in lower-case hexadecimal digits. */
export interface Digests {
  readonly md5: string
  readonly sha1: string
  readonly sha256: string
  readonly sha512: string
}

const kinds = ['md5', 'sha1', 'sha256', 'sha512'] as const

/** A content on its way to the disk: a file that nobody sees yet. */
export interface Intake {
  /** Takes the next piece; one at a time. @throws Error of the file system */
  write: (chunk: Uint8Array) => Promise<void>
  /** When it resolves all pieces are on the disk. @throws Error of the file system */
  finish: () => Promise<Taken>
  /** Forgets it. It never rejects, and does nothing once the content has been put in its place. */
  drop: () => Promise<void>
}

/** A content that came whole. */
export interface Taken {
  readonly digests: Digests
  /** Bytes. */
  readonly size: number
  /** Where it lies until it is put in its place. */
  readonly path: string
}

/** Writes a content to a new file, and works out its checksums on the way: it is never in memory as a whole. */
export async function openIntake(path: string): Promise<Intake> {
  const file = await open(path, 'wx', 0o600)
  const hashes = kinds.map((kind) => [kind, createHash(kind)] as const)
  let size = 0
  let isOpen = true
  const close = async () => {
    if (!isOpen) return
    isOpen = false
    await file.close()
  }
  return {
    write: async (chunk) => {
      for (const [, hash] of hashes) hash.update(chunk)
      await writeAll(file, chunk)
      size += chunk.length
    },
    finish: async () => {
      await file.sync()
      await close()
      const [md5 = '', sha1 = '', sha256 = '', sha512 = ''] = hashes.map(([, hash]) => hash.digest('hex'))
      return { digests: { md5, sha1, sha256, sha512 }, size, path }
    },
    drop: async () => {
      await close().catch(() => {})
      await rm(path, { force: true }).catch(() => {})
    },
  }
}

/** A disk that is nearly full takes a part of a piece before it refuses the rest. */
async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, at)
    at += bytesWritten
  }
}
