import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import { blobOf } from './blob.ts'
import { loadPaths, type Plugin } from './folder.ts'

const cache = 'node_modules/.cache/forgehall'

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
      const brotli = blobOf(await compressed(hash, bytes))
      return { contents: `export default { hash: '${hash}', brotli: ${brotli} }`, watchFiles: [path] }
    })
  },
}

/** From the cache if it has been compressed before: the best quality takes four seconds for a megabyte. */
async function compressed(hash: string, bytes: Buffer): Promise<Buffer> {
  const path = join(cache, `${hash}.br`)
  const known = await readFile(path).catch(() => undefined)
  if (known) return known
  const made = await promisify(brotliCompress)(bytes)
  await mkdir(cache, { recursive: true })
  await writeFile(`${path}.${process.pid}`, made)
  await rename(`${path}.${process.pid}`, path)
  return made
}
