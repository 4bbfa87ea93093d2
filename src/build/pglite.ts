import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import type { Plugin } from './folder.ts'

/** Where PGlite lists PostgreSQL's files, with their positions in the one file that contains them all. */
const listing = /\{files:\[\{filename:.*?\],remote_package_size:\d+\}/s
const listed = /\{filename:"([^"]+)",start:([\de.]+),end:([\de.]+)\}/g

/** PGlite's modules, one of which contains that list. */
const modules = /^chunk-\w+\.js$/

/**
 * The files that a running server reads besides PGlite's program: a page of text, one time zone, PL/pgSQL. The rest
 * creates clusters, converts rare encodings, or sorts with ICU; each start would unpack it into PostgreSQL's file
 * system.
 */
const needed = [
  /^\/home\//,
  /^\/pglite\/[^/]+$/,
  /^\/pglite\/bin\//,
  /^\/pglite\/lib\/postgresql\/plpgsql\.so$/,
  /^\/pglite\/share\/postgresql\/extension\//,
  /^\/pglite\/share\/postgresql\/timezone\/(GMT|UTC)$/,
  /^\/pglite\/share\/postgresql\/timezonesets\/Default$/,
]

/** PGlite's folder. */
export const pgliteFolder = (): string =>
  dirname(createRequire(resolve('package.json')).resolve('@electric-sql/pglite'))

/** The files that a server needs, concatenated. */
export async function pgliteFiles(): Promise<Buffer> {
  const folder = pgliteFolder()
  const names = (await readdir(folder)).filter((name) => modules.test(name))
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  const kept = texts.flatMap((text) => reduced(text).kept)
  if (kept.length === 0) throw new Error('PGlite lists its files elsewhere: look again')
  const all = await readFile(join(folder, 'pglite.data'))
  return Buffer.concat(kept.map(({ start, end }) => all.subarray(start, end)))
}

/** Makes PGlite expect the files of {@link pgliteFiles}. */
export const pglite: Plugin = {
  name: 'pglite',
  setup(build) {
    build.onLoad({ filter: /[\\/]pglite[\\/]dist[\\/]chunk-\w+\.js$/ }, async ({ path }) => {
      const { contents } = reduced(await readFile(path, 'utf8'))
      return { contents, loader: 'js' }
    })
  },
}

interface Range {
  start: number
  end: number
}

/** The module with its file list reduced to the needed files, and their ranges in the file that contains all. */
function reduced(source: string): { contents: string; kept: Range[] } {
  const kept: Range[] = []
  const contents = source.replace(listing, (list) => {
    let size = 0
    const files = [...list.matchAll(listed)].flatMap(([, filename = '', from, to]) => {
      if (!needed.some((each) => each.test(filename))) return []
      const range = { start: Number(from), end: Number(to) }
      kept.push(range)
      const start = size
      size += range.end - range.start
      return { filename, start, end: size }
    })
    return JSON.stringify({ files, remote_package_size: size })
  })
  return { contents, kept }
}
