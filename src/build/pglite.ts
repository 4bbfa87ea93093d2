import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import type { Plugin } from './folder.ts'

/** Where PGlite lists PostgreSQL's files and where each stands in the one file that it keeps them all in. */
const listing = /\{files:\[\{filename:.*?\],remote_package_size:\d+\}/s
const listed = /\{filename:"([^"]+)",start:([\de.]+),end:([\de.]+)\}/g

/** The modules of PGlite of which one has that list. */
const modules = /^chunk-\w+\.js$/

/**
 * What a running server reads of the files beside PGlite's program: a page of text, one time zone, PL/pgSQL. The rest
 * makes clusters, converts encodings that nobody asks for, or sorts as ICU does; each start would unpack it and put it
 * into PostgreSQL's file system.
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

/** Where PGlite lies. */
export const pgliteFolder = (): string =>
  dirname(createRequire(resolve('package.json')).resolve('@electric-sql/pglite'))

/** Those of its files that a server needs, one after another. */
export async function pgliteFiles(): Promise<Buffer> {
  const folder = pgliteFolder()
  const names = (await readdir(folder)).filter((name) => modules.test(name))
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  const kept = texts.flatMap((text) => lighter(text).kept)
  if (kept.length === 0) throw new Error('PGlite lists its files elsewhere: look again')
  const all = await readFile(join(folder, 'pglite.data'))
  return Buffer.concat(kept.map(({ start, end }) => all.subarray(start, end)))
}

/** Has PGlite expect what {@link pgliteFiles} gives. */
export const pglite: Plugin = {
  name: 'pglite',
  setup(build) {
    build.onLoad({ filter: /[\\/]pglite[\\/]dist[\\/]chunk-\w+\.js$/ }, async ({ path }) => {
      const { contents } = lighter(await readFile(path, 'utf8'))
      return { contents, loader: 'js' }
    })
  },
}

interface Place {
  start: number
  end: number
}

/** The module with a list of what is needed alone, and where that stands in the file of all. */
function lighter(source: string): { contents: string; kept: Place[] } {
  const kept: Place[] = []
  const contents = source.replace(listing, (list) => {
    let size = 0
    const files = [...list.matchAll(listed)].flatMap(([, filename = '', from, to]) => {
      if (!needed.some((each) => each.test(filename))) return []
      const place = { start: Number(from), end: Number(to) }
      kept.push(place)
      const start = size
      size += place.end - place.start
      return { filename, start, end: size }
    })
    return JSON.stringify({ files, remote_package_size: size })
  })
  return { contents, kept }
}
