import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import { blobOf } from './blob.ts'
import { cached } from './cache.ts'
import { type Build, loadPaths, type Plugin } from './folder.ts'

/** A file for browsers, which the build has compressed. */
export interface Asset {
  /** Identifies the bytes; may be part of a file name. */
  readonly hash: string
  brotli(): Buffer
}

/**
 * Makes `import file from 'asset:./path'`, or `asset:package/path`, an {@link Asset}. It bundles a script of this
 * repository with its imports.
 */
export const asset: Plugin = {
  name: 'asset',
  setup(build) {
    loadPaths(build, 'asset', async (path) => {
      const isOwnScript = path.endsWith('.js') && !path.includes('node_modules')
      const { bytes, watchFiles } = isOwnScript
        ? await bundled(build, path)
        : { bytes: await readFile(path), watchFiles: [path] }
      const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 12)
      // The best quality takes four seconds for a megabyte.
      const brotli = blobOf(await cached(`${hash}.br`, () => promisify(brotliCompress)(bytes)))
      return { contents: `export default { hash: '${hash}', brotli: ${brotli} }`, watchFiles }
    })
  },
}

async function bundled(build: Build, path: string) {
  const { outputFiles, metafile } = await build.esbuild.build({
    absWorkingDir: dirname(path),
    entryPoints: [path],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    minify: true,
    write: false,
    metafile: true,
  })
  const watchFiles = Object.keys(metafile.inputs).map((file) => resolve(dirname(path), file))
  return { bytes: outputFiles[0]?.contents ?? new Uint8Array(), watchFiles }
}
