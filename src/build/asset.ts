import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { blobOf } from './blob.ts'
import type { Plugin } from './folder.ts'

/** Ends the names of modules: tsup would take a name that ends in `.css` for a style sheet to bundle. */
const mark = '?asset'

/**
 * Makes `import file from 'asset:./path'` the text of a file for browsers, its hash, and its bytes in brotli, made here
 * so that no request waits for them.
 */
export const asset: Plugin = {
  name: 'asset',
  setup(build) {
    build.onResolve({ filter: /^asset:/ }, ({ path, resolveDir }) => ({
      path: relative('', resolve(resolveDir, path.slice('asset:'.length))) + mark,
      namespace: 'asset',
    }))
    build.onLoad({ filter: /.*/, namespace: 'asset' }, async ({ path }) => {
      const file = resolve(path.slice(0, -mark.length))
      const text = await readFile(file, 'utf8')
      const hash = createHash('sha256').update(text).digest('base64url').slice(0, 12)
      const brotli = blobOf(brotliCompressSync(text))
      const contents = `export default { text: ${JSON.stringify(text)}, hash: '${hash}', brotli: ${brotli} }`
      return { contents, watchFiles: [file] }
    })
  },
}
