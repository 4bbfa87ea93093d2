import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { type PackSource, pack } from '../db/embedded/pack.ts'

/**
 * initdb's arguments. The built-in C.UTF-8 sorts by code point (the same on every machine and in every version) and
 * still knows upper and lower case of all letters. Log segments of 4 MB, as a new one is filled with zeros and synced
 * while a commit waits.
 */
const INITDB = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--wal-segsize=4']

/**
 * Makes a PostgreSQL data folder and packs it. initdb in WebAssembly takes 4 s and 900 MB, which is nothing for a build
 * and too much for a server's first start. The template databases go: they are two thirds of the files, and an embedded
 * server creates no databases.
 */
export async function makeCluster(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'forgehall-cluster-'))
  try {
    const pglite = await PGlite.create({ dataDir: folder, initDbStartParams: INITDB })
    await pglite.exec('update pg_database set datistemplate = false')
    await pglite.exec('drop database template0')
    await pglite.exec('drop database template1')
    await pglite.exec('vacuum (freeze, analyze)')
    await pglite.close()
    return pack(sourcesIn(folder, ''))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function sourcesIn(root: string, prefix: string): PackSource[] {
  return readdirSync(join(root, prefix), { withFileTypes: true }).flatMap((entry): PackSource[] => {
    const path = `${prefix}${entry.name}`
    if (!entry.isDirectory()) return [{ path, bytes: readFileSync(join(root, path)) }]
    return [{ path, bytes: null }, ...sourcesIn(root, `${path}/`)]
  })
}
