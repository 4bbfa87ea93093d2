import { dirname, resolve } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { blobOf } from './blob.ts'
import { loadPaths, type Plugin } from './folder.ts'
import { patches } from './patches.ts'

/**
 * Makes `import source from 'worker:./file.ts'` a function that gives the text of a CommonJS bundle of that file, for
 * `new Worker(source(), { eval: true })`: the main script of an executable can read no file next to itself.
 */
export const worker: Plugin = {
  name: 'worker',
  setup(build) {
    loadPaths(build, 'worker', async (path) => {
      const { outputFiles, metafile } = await build.esbuild.build({
        absWorkingDir: dirname(path),
        entryPoints: [path],
        bundle: true,
        format: 'cjs',
        platform: 'node',
        target: 'node20.19',
        // Some packages make a `require` from their address, and then load only modules of Node.
        define: { 'import.meta.url': '"file:///worker"' },
        minify: true,
        plugins: [patches],
        write: false,
        metafile: true,
      })
      const watchFiles = Object.keys(metafile.inputs).map((file) => resolve(dirname(path), file))
      return { contents: moduleOf(outputFiles[0]?.contents ?? new Uint8Array()), watchFiles }
    })
  },
}

/** Compressed, because node reads the whole built file at each start; most workers start later or never. */
function moduleOf(source: Uint8Array): string {
  const bytes = brotliCompressSync(source, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
  return `import { brotliDecompressSync } from 'node:zlib'
    const bytes = ${blobOf(bytes)}
    export default () => brotliDecompressSync(bytes()).toString()`
}
