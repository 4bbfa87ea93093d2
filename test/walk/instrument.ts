import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { ts } from '@ts-morph/common'
import type { Plugin } from '../../src/build/folder.ts'

/** What is no part of a request: what the build runs, and the database, which runs in a thread. */
const leftOut = /^src\/(?:build|embedded-postgres)\//

/** An esbuild plugin: each function of `src` calls `globalThis.enterFile`, if there is one, with the path of its file. */
export const instrument: Plugin = {
  name: 'instrument',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/, namespace: 'file' }, async ({ path }) => {
      const name = relative('', path).replaceAll('\\', '/')
      if (leftOut.test(name) || !name.startsWith('src/')) return undefined
      return { contents: instrumented(name, await readFile(path, 'utf8')), loader: 'ts' }
    })
  },
}

/** A file whose functions say that they are entered. */
export function instrumented(name: string, text: string): string {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)
  const call = `globalThis.enterFile?.(${JSON.stringify(name)})`
  const insertions: { at: number; text: string }[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const body = node.body as ts.Node
      if (ts.isBlock(body)) insertions.push({ at: body.getStart(source) + 1, text: `;${call};` })
      else
        insertions.push({ at: body.getStart(source), text: `(${call},(` }, { at: body.getEnd(), text: '))' })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  let changed = text
  for (const { at, text } of insertions.sort((a, b) => b.at - a.at))
    changed = changed.slice(0, at) + text + changed.slice(at)
  return changed
}
