import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Options } from 'tsup'

/** An esbuild plugin, in the type of the copy of esbuild that tsup carries. */
export type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/**
 * Makes `import files from 'folder:./path'` an object of file name → text of all files directly in that
 * folder (relative to the importing file; no subfolders, no dot files), so that the built file reads no disk.
 * A folder that is missing or holds nothing stops the build.
 */
export const folder: Plugin = {
  name: 'folder',
  setup(build) {
    build.onResolve({ filter: /^folder:/ }, (args) => ({
      path: resolve(args.resolveDir, args.path.slice('folder:'.length)),
      namespace: 'folder',
    }))
    build.onLoad({ filter: /.*/, namespace: 'folder' }, async ({ path }) => {
      const names = await fileNames(path)
      if (names.length === 0) return { errors: [{ text: `The folder ${path} holds no file` }] }
      const files = names.map((name) => join(path, name))
      const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
      const contents = JSON.stringify(Object.fromEntries(names.map((name, at) => [name, texts[at]])))
      return { contents, loader: 'json', watchFiles: files, watchDirs: [path] }
    })
  },
}

async function fileNames(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .sort()
}
