import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const gzipAll = promisify(gzip)

/** Bytes per block: each is compressed alone, so that several are compressed at once. */
const blockSize = 1024 * 1024

/** Blocks that are compressed at the same time. */
const concurrency = 3

/** If a block shrinks to more than this share of its size, compressing it and its neighbours is not worth the time. */
const poorRatio = 0.95

/** Number of blocks that are stored without compression after such a block. */
const maxStored = 15

/**
 * Compresses a stream to gzip (RFC 1952): one member for each block, which every gunzip reads as one stream. Contents
 * that are compressed already, such as packs and packages, are stored: compressing them would take most of the time.
 */
export async function* gzipBlocks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const pending: Promise<Buffer>[] = []
  let stored = 0
  const start = async (block: Buffer) => {
    if (stored > 0) {
      stored--
      return await compress(block, 0)
    }
    const compressed = await compress(block, 1)
    if (compressed.length > block.length * poorRatio) stored = maxStored
    return compressed
  }
  for await (const block of blocksOf(source)) {
    pending.push(start(block))
    const first = pending.length >= concurrency ? pending.shift() : undefined
    if (first) yield await first
  }
  for (const rest of pending) yield await rest
}

/** Compresses a block in one step of a thread; with default options, zlib returns to the event loop every 16 KiB. */
const compress = (block: Buffer, level: number) =>
  gzipAll(block, { level, chunkSize: block.length + (block.length >> 7) + 64 })

/** Collects chunks to blocks of at least `blockSize`, except the last one. */
async function* blocksOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of source) {
    chunks.push(chunk)
    length += chunk.length
    if (length < blockSize) continue
    yield Buffer.concat(chunks)
    chunks = []
    length = 0
  }
  if (length > 0) yield Buffer.concat(chunks)
}
