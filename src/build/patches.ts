import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { applyPatch, parsePatch } from 'diff'
import type { Plugin } from './folder.ts'

const folder = 'src/build/patches'

/**
 * Applies `src/build/patches/<library>/*.patch` to the libraries in the bundle. Each patch is a unified diff against
 * the release in `node_modules`, and each is independent of the others. All are applied at the start of a build, also
 * to files that this bundle does not contain: a patch that does not apply must stop every build.
 */
export const patches: Plugin = {
  name: 'patches',
  async setup(build) {
    const patched = await patchedFiles(await patchesIn(folder))
    build.onLoad({ filter: /[\\/]node_modules[\\/]/ }, ({ path }) => {
      const contents = patched.get(inModules(path))
      return contents === undefined ? undefined : { contents, loader: 'js' }
    })
  },
}

/** The text of a patch, and its file. */
export interface Patch {
  path: string
  text: string
}

/** Libraries' files after all patches, by their path in `node_modules`. */
export async function patchedFiles(all: readonly Patch[]): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for (const { path, text } of all) {
    const diffs = parsePatch(text).filter(({ hunks }) => hunks.length > 0)
    if (diffs.length === 0) throw new Error(`${path} holds no change`)
    for (const diff of diffs) {
      const file = inModules(diff.newFileName ?? '')
      const source = files.get(file) ?? (await readFile(join('node_modules', file), 'utf8').catch(() => ''))
      const result = applyPatch(source, diff, { fuzzFactor: 0, autoConvertLineEndings: false })
      if (result === false)
        throw new Error(`${path} does not fit node_modules/${file}: see src/build/README.md`)
      files.set(file, result)
    }
  }
  return files
}

async function patchesIn(root: string): Promise<Patch[]> {
  const names = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.patch')).sort()
  return Promise.all(
    names.map(async (name) => ({ path: join(root, name), text: await readFile(join(root, name), 'utf8') })),
  )
}

/** The part of a path behind the last `node_modules`, with slashes. */
function inModules(path: string): string {
  return path.split(/[\\/]/).join('/').split('node_modules/').at(-1) ?? ''
}
