import crypto from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { type PackedFile, pack } from './pack.ts'

/**
 * initdb's arguments. The built-in C.UTF-8 sorts by code point (the same on every machine and in every version) and
 * still knows upper and lower case of all letters. Log segments of 4 MB, as a new one is filled with zeros and synced
 * while a commit waits.
 */
const INITDB = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--wal-segsize=4']

/** Bytes of the last log segment that are packed: more than it contains; after them are remains of an older segment. */
const WAL_BYTES = 64 * 1024

/** The time at which each build makes its data folder, so that two builds of the same source give the same bytes. */
const BUILD_TIME = Date.UTC(2026, 0, 1)

/**
 * Makes a PostgreSQL data folder with the schema in it, and packs it. initdb in WebAssembly takes 4 s and 900 MB, and the
 * migrations take more time: too much for a server's first start. The pack lacks the template databases, which are two
 * thirds of the files (an embedded server creates no databases), and the log, which no server will replay. The same schema
 * gives the same bytes.
 */
export const makeCluster = (schema: string): Promise<Buffer> => reproducibly(() => makeWith(schema))

/**
 * Runs `make` with a stopped clock and with zeros instead of random bytes. PostgreSQL makes the identifier of the data
 * folder from the clock, and a nonce for sign-ins with unknown roles from random bytes.
 */
async function reproducibly<Made>(make: () => Promise<Made>): Promise<Made> {
  const { now } = Date
  const { randomFillSync } = crypto
  Date.now = () => BUILD_TIME
  Object.assign(crypto, { randomFillSync: (view: Uint8Array) => view.fill(0) })
  try {
    return await make()
  } finally {
    Date.now = now
    Object.assign(crypto, { randomFillSync })
  }
}

async function makeWith(schema: string): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-postgres-'))
  try {
    const pglite = await PGlite.create({ dataDir: folder, initDbStartParams: INITDB })
    await pglite.exec('update pg_database set datistemplate = false')
    await pglite.exec('drop database template0')
    await pglite.exec('drop database template1')
    await pglite.exec('vacuum (freeze, analyze)')
    // After the vacuum: PostgreSQL expects some rows in a table that it has not analyzed, and none in one analyzed empty.
    await pglite.transaction((sql) => sql.exec(schema))
    await pglite.exec('select pg_switch_wal()')
    await pglite.exec('checkpoint')
    const { rows } = await pglite.query<{ segment: string }>(
      'select pg_walfile_name(pg_current_wal_insert_lsn()) as segment',
    )
    await pglite.close()
    return pack(withLastSegment(sourcesIn(folder, ''), `pg_wal/${rows[0]?.segment}`))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The files with only the last log segment, up to the checkpoint of the shutdown in it. */
function withLastSegment(sources: PackedFile[], last: string): PackedFile[] {
  return sources
    .filter(({ path }) => path === last || !/^pg_wal\/[0-9A-F]{24}$/.test(path))
    .map(({ path, bytes }) => ({ path, bytes: path === last && bytes ? bytes.fill(0, WAL_BYTES) : bytes }))
}

function sourcesIn(root: string, prefix: string): PackedFile[] {
  return readdirSync(join(root, prefix), { withFileTypes: true }).flatMap((entry): PackedFile[] => {
    const path = `${prefix}${entry.name}`
    if (!entry.isDirectory()) return [{ path, bytes: readFileSync(join(root, path)) }]
    return [{ path, bytes: null }, ...sourcesIn(root, `${path}/`)]
  })
}
