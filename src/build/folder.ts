import { readdir, readFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import type { Options } from 'tsup'

/** An esbuild plugin, typed for the copy of esbuild in tsup. */
export type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/**
 * Makes `import files from 'folder:./path'` an object of file name → text of all files directly in that
 * folder (relative to the importing file; no subfolders, no dot files), so that the built file reads no files. A missing
 * or empty folder stops the build.
 */
export const folder: Plugin = {
  name: 'folder',
  setup(build) {
    loadPaths(build, 'folder', async (path) => {
      const files = await filesIn(path)
      if (files.length === 0) return { errors: [{ text: `The folder ${path} holds no file` }] }
      const contents = JSON.stringify(Object.fromEntries(files))
      const watchFiles = files.map(([name]) => join(path, name))
      return { contents, loader: 'json', watchFiles, watchDirs: [path] }
    })
  },
}

export type Build = Parameters<Plugin['setup']>[0]
type Load = Parameters<Build['onLoad']>[1]

/**
 * Loads imports of `name:./path` (relative to the importing file) and of `name:package/path` with `load`. Their names in
 * the bundle are relative to the working directory of the build, so that it does not depend on the machine.
 */
export function loadPaths(build: Build, name: string, load: (path: string) => ReturnType<Load>): void {
  // The end of the names of modules: tsup would bundle a module whose name ends in `.css` as a style sheet.
  const mark = `?${name}`
  build.onResolve({ filter: new RegExp(`^${name}:`) }, ({ path, resolveDir }) => {
    const target = path.slice(name.length + 1)
    const base = target.startsWith('.') ? resolveDir : 'node_modules'
    return { path: relative('', resolve(base, target)) + mark, namespace: name }
  })
  build.onLoad({ filter: /.*/, namespace: name }, ({ path }) => load(resolve(path.slice(0, -mark.length))))
}

/** Names and texts of the files directly in a folder, sorted by name; no dot files. */
export async function filesIn(path: string): Promise<[name: string, text: string][]> {
  const names = await fileNames(path)
  return Promise.all(names.map(async (name) => [name, await readFile(join(path, name), 'utf8')]))
}

async function fileNames(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .sort()
}
