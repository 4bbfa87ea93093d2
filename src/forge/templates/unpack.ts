import { brotliDecompressSync } from 'node:zlib'
import type { Packed } from '../../build/packed.ts'

/**
 * The texts of a `packed:` module, each as a function that returns it. The first call decompresses all of them, once
 * (the licences: 5 MB in 10 ms), and keeps them as bytes.
 */
export function unpack({ index, brotli }: Packed): Map<string, () => string> {
  let bytes: Buffer | undefined
  const opened = () => {
    bytes ??= brotliDecompressSync(brotli())
    return bytes
  }
  let end = 0
  return new Map(
    index.map(([name, length]) => {
      const start = end
      end += length
      return [name, () => opened().toString('utf8', start, start + length)]
    }),
  )
}
