import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dropTemplate, openTestDatabase, prepareTemplate } from './database.ts'

/**
 * Writes `sql/schema.sql`: the dump of a migrated database, to be read and reviewed. With `--check` it writes nothing
 * and fails when the file is stale. Either way it loads the text into an empty database. Runs on a PostgreSQL server
 * (`DATABASE_URL`), whose `pg_dump` it uses.
 */
async function run(check: boolean): Promise<number> {
  const path = join('sql', 'schema.sql')
  await prepareTemplate('')
  const database = await openTestDatabase()
  const dumped = dump(database.url ?? '')
  await database.pool`drop schema site, forge, forgehall cascade`
  await database.pool.unsafe(dumped)
  await database.close()
  await dropTemplate()
  if (!check) writeFileSync(path, dumped)
  if (readFileSync(path, 'utf8') === dumped) return 0
  console.error(`${path} is stale: run npm run schema and read what changed`)
  return 1
}

/** The dump without what differs between versions of `pg_dump`: settings, versions, owners. */
function dump(url: string): string {
  const program = process.env.PG_BIN ? join(process.env.PG_BIN, 'pg_dump') : 'pg_dump'
  const text = execFileSync(program, ['--schema-only', '--no-owner', '--no-privileges', url], {
    encoding: 'utf8',
  })
  const lines = text.split('\n').filter((line) => !/^(--|SET |SELECT pg_catalog|\\(un)?restrict )/.test(line))
  return `-- Made by npm run schema from sql/migrations. Not run by anything.\n\n-- Functions come before the tables that they read.\nset check_function_bodies = off;\n\n${lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`
}

process.exitCode = await run(process.argv.includes('--check'))
