import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import { blobOf } from './blob.ts'
import { cached } from './cache.ts'
import { loadPaths, type Plugin } from './folder.ts'

/** A file for browsers, compressed by the build, so that no request waits for that. */
export interface Asset {
  /** Identifies the bytes, in characters of a file name. */
  readonly hash: string
  brotli(): Buffer
}

/** Makes `import file from 'asset:./path'`, or `asset:package/path`, an {@link Asset}. */
export const asset: Plugin = {
  name: 'asset',
  setup(build) {
    loadPaths(build, 'asset', async (path) => {
      const bytes = await readFile(path)
      const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 12)
      // The best quality takes four seconds for a megabyte.
      const brotli = blobOf(await cached(`${hash}.br`, () => promisify(brotliCompress)(bytes)))
      return { contents: `export default { hash: '${hash}', brotli: ${brotli} }`, watchFiles: [path] }
    })
  },
}
