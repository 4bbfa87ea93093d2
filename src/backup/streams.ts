import type { FileHandle } from 'node:fs/promises'

/** The chunks of a stream of the library for tar, whose types do not declare them. */
export async function* buffersOf(stream: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError('a stream of bytes yields something else')
    yield chunk
  }
}

/** The same chunks, which `hash` reads as well. */
export async function* hashing(
  chunks: AsyncIterable<Buffer>,
  hash: { update: (chunk: Buffer) => unknown },
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
}

/**
 * Writes chunks to a file, from its beginning; returns the number of bytes. A disk that is nearly full may write a part of
 * a chunk before it reports an error for the rest.
 */
export async function writeChunks(file: FileHandle, chunks: AsyncIterable<Buffer>): Promise<number> {
  let size = 0
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten
    size += chunk.length
  }
  return size
}
