import { readFile } from 'node:fs/promises'
import type { Plugin } from './folder.ts'

/** A replacement in a library: the reason, the text in the package, and its replacement in our bundle. */
export interface Patch {
  why: string
  from: string
  to: string
}

/**
 * A plugin that patches a library while it is bundled: `files` lists the patches by the end of the file's path. If a
 * release does not contain a text exactly once, the build fails: check the patch again.
 */
export function patch(name: string, files: Readonly<Record<string, readonly Patch[]>>): Plugin {
  return {
    name,
    setup(build) {
      for (const [end, patches] of Object.entries(files))
        build.onLoad({ filter: endsWith(end) }, async ({ path }) => {
          const source = await readFile(path, 'utf8')
          const missing = patches.find(({ from }) => source.split(from).length !== 2)
          if (missing) return { errors: [{ text: `No place in ${path} for: ${missing.why}` }] }
          const contents = patches.reduce((text, { from, to }) => text.replace(from, () => to), source)
          return { contents, loader: 'js' }
        })
    },
  }
}

/** Matches the end of a path with any separator. */
function endsWith(path: string): RegExp {
  const parts = ['', ...path.split('/')].map((part) => part.replaceAll('.', '\\.'))
  return new RegExp(`${parts.join('[\\\\/]')}$`)
}
