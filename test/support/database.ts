import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate/migrate.ts'
import { migrations } from '../../src/db/migrate/migrations.ts'
import { openPool } from '../../src/db/open.ts'
import type { Pool } from '../../src/db/sql.ts'
import { readDatabaseVersion, type VersionSource } from '../../src/db/version.ts'
import { copyFolder } from './folder.ts'
import { keepProgram } from './suite/engine.ts'

/** A migrated database of its own, gone when it is closed. */
export interface TestDatabase {
  pool: Pool
  states: VersionSource
  /** Address of it on a PostgreSQL server; undefined on the embedded one. */
  url: string | undefined
  close: () => Promise<void>
}

/** Set by the runner: a PostgreSQL server, or a migrated embedded folder to copy. */
const { DATABASE_URL, TEMPLATE_DATABASE = 'forgehall_template', TEMPLATE_FOLDER } = process.env

/** Where data folders are made: beside the template, so that the runner removes what a file has left behind. */
export const place = TEMPLATE_FOLDER ? dirname(TEMPLATE_FOLDER) : tmpdir()

/** Whether these tests run on a PostgreSQL server. */
export const onServer = Boolean(DATABASE_URL)

/** For a test of a file that tests the database, but which itself does not: the embedded database is enough for it. */
export const onlyOnce = { skip: onServer && 'tests nothing of the database' }

/** A fresh copy of the migrated template. */
export async function openTestDatabase(poolSize = 10): Promise<TestDatabase> {
  return DATABASE_URL ? cloneOnServer(DATABASE_URL, poolSize) : copyOfFolder(poolSize)
}

async function cloneOnServer(server: string, poolSize: number): Promise<TestDatabase> {
  const name = `forgehall_test_${randomBytes(6).toString('hex')}`
  const url = at(server, name)
  await administer(server, `create database ${name} template ${TEMPLATE_DATABASE}`)
  const pool = openPool({ url, poolSize })
  return {
    pool,
    states: { remote: () => readDatabaseVersion(pool) },
    url,
    close: async () => {
      await pool.end({ timeout: 5 })
      await administer(server, `drop database ${name} with (force)`)
    },
  }
}

async function copyOfFolder(poolSize: number): Promise<TestDatabase> {
  const dataDir = await mkdtemp(join(place, 'forgehall-test-'))
  fillFromTemplate(dataDir)
  await keepProgram()
  const database = await openDatabase({ url: undefined, dataDir, poolSize })
  if (!TEMPLATE_FOLDER) await migrate(database.pool, migrations)
  return {
    pool: database.pool,
    states: database.versions,
    url: undefined,
    close: async () => {
      await database.close(5)
      await rm(dataDir, { recursive: true })
    },
  }
}

/** Puts the migrated embedded database into a folder that holds nothing, if the runner has made one. */
export function fillFromTemplate(dataDir: string): void {
  if (TEMPLATE_FOLDER) copyFolder(TEMPLATE_FOLDER, dataDir)
}

/** Makes the template that `openTestDatabase` copies; gives the environment that names it. */
export async function prepareTemplate(folder: string): Promise<Record<string, string>> {
  const server = DATABASE_URL
  if (server) await administer(server, `create database ${TEMPLATE_DATABASE}`)
  const url = server ? at(server, TEMPLATE_DATABASE) : undefined
  const database = await openDatabase({ url, dataDir: folder, poolSize: 1 })
  await migrate(database.pool, migrations)
  await database.close(5)
  return server ? { TEMPLATE_DATABASE } : { TEMPLATE_FOLDER: folder }
}

/** Drops the template again. */
export async function dropTemplate(): Promise<void> {
  if (DATABASE_URL)
    await administer(DATABASE_URL, `drop database if exists ${TEMPLATE_DATABASE} with (force)`)
}

/** Runs one statement on the server itself. */
async function administer(server: string, statement: string): Promise<void> {
  const pool = openPool({ url: server, poolSize: 1 })
  await pool.unsafe(statement)
  await pool.end({ timeout: 5 })
}

/** The same server, another database. */
function at(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
