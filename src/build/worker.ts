import { dirname, resolve } from 'node:path'
import { blobOf } from './blob.ts'
import { type Plugin, resolvePaths } from './folder.ts'
import { micromark } from './micromark.ts'
import { orga } from './orga.ts'
import { pglite } from './pglite.ts'

/**
 * Makes `import source from 'worker:./file.ts'` a function that gives the text of a CommonJS bundle of that file, for
 * `new Worker(source(), { eval: true })`: the main script of an executable can read no file beside itself.
 */
export const worker: Plugin = {
  name: 'worker',
  setup(build) {
    resolvePaths(build, 'worker')
    build.onLoad({ filter: /.*/, namespace: 'worker' }, async ({ path }) => {
      const { outputFiles, metafile } = await build.esbuild.build({
        absWorkingDir: dirname(path),
        entryPoints: [path],
        bundle: true,
        format: 'cjs',
        platform: 'node',
        target: build.initialOptions.target ?? 'node20.19',
        // Some packages make a `require` of their address, though all they then ask for is Node's own.
        define: { 'import.meta.url': '"file:///worker"' },
        minify: true,
        plugins: [micromark, orga, pglite],
        write: false,
        metafile: true,
      })
      const watchFiles = Object.keys(metafile.inputs).map((file) => resolve(dirname(path), file))
      const bytes = blobOf(outputFiles[0]?.contents ?? new Uint8Array())
      return { contents: `const bytes = ${bytes}; export default () => bytes().toString()`, watchFiles }
    })
  },
}
