import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { TarFiles } from './tar-files.ts'

/** Bytes of an unpacked tarball that are searched for a shrinkwrap: a second of work if they are nothing but headers. */
const MAX_UNPACKED = 128 * 1024 * 1024

/** Bytes that are read and unpacked in one step of a thread. */
const chunkSize = 256 * 1024

/** npm ignores the first folder of a tarball, whose name is usually `package`. */
const shrinkwrap = /^[^/]+\/npm-shrinkwrap\.json$/

/**
 * Whether npm finds a shrinkwrap, the versions of all dependencies, in a tarball. A broken tarball has none, nor has a
 * tarball where it comes after `maxBytes` unpacked bytes.
 * @throws Error of the file system
 */
export async function hasShrinkwrap(path: string, maxBytes = MAX_UNPACKED): Promise<boolean> {
  const files = new TarFiles()
  let hasOne = false
  let size = 0
  const search = async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      const searched = chunk.subarray(0, maxBytes - size)
      if (files.push(searched).some((name) => shrinkwrap.test(name))) hasOne = true
      size += chunk.length
      if (size > maxBytes) return
    }
  }
  try {
    await pipeline(createReadStream(path, { highWaterMark: chunkSize }), createGunzip({ chunkSize }), search)
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw error
    // A pipeline whose last step ends early may reject as well.
    if (size <= maxBytes) return false
  }
  return hasOne
}
