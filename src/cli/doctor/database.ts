import type { Config } from '../../config.ts'
import { recordedKeys } from '../../db/encryption/secret-key-check.ts'
import { appliedMigrations } from '../../db/migrate/applied.ts'
import { migrations } from '../../db/migrate/migrations.ts'
import { existsTable, unknownRequirements } from '../../db/migrate/required.ts'
import { losesStatements, poolerAdvice } from '../../db/pooler.ts'
import { onlyRow } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'
import { readKeys } from '../keys.ts'
import { type Finding, failed, ok, someOf, warning } from './finding.ts'

/** Milliseconds between the clocks of this machine and of the database for a warning, and for a failure. */
const skew = { warning: 2_000, failed: 60_000 }

/** Oldest PostgreSQL, as `server_version_num`. */
const oldestServer = 150_000

/** Checks of the database itself. */
export async function checkDatabase(sql: Sql, config: Config): Promise<Finding[]> {
  const { version, number } = await onlyRow(sql<[{ version: string; number: number }]>`
    select current_setting('server_version') as version, current_setting('server_version_num')::integer as number`)
  const server =
    number < oldestServer
      ? failed('database', `PostgreSQL ${version}`, 'use PostgreSQL 15 or newer')
      : ok('database', `PostgreSQL ${version}${config.databaseUrl === undefined ? ', embedded' : ''}`)
  const found = [server, ...(await pooler(config.databaseUrl))]
  if (!(await existsTable(sql, 'forgehall.migration')))
    return [...found, failed('schema', 'there is none', 'start the server, or run "forgehall migrate"')]
  return [...found, await schema(sql), await key(sql, config), await clock(sql)]
}

/** A pooler is only found where statements get lost. */
async function pooler(url: string | undefined): Promise<Finding[]> {
  if (url === undefined || !(await losesStatements(url))) return []
  return [failed('pooler', 'loses prepared statements, so that requests fail at random', poolerAdvice)]
}

async function schema(sql: Sql): Promise<Finding> {
  const applied = await appliedMigrations(sql)
  const names = migrations.map(({ name }) => name)
  const required = await unknownRequirements(sql, migrations)
  if (required.length > 0)
    return failed(
      'schema',
      `requires migrations of a newer version: ${someOf(required)}`,
      'install the newer program, or restore the backup from before the upgrade',
    )
  const missing = names.filter((name) => !applied.includes(name))
  if (missing.length > 0)
    return warning(
      'schema',
      `lacks migrations: ${someOf(missing)}`,
      'start the server, or run "forgehall migrate", to apply them',
    )
  const unknown = applied.filter((name) => !names.includes(name))
  if (unknown.length > 0)
    return warning(
      'schema',
      `has migrations of a newer version: ${someOf(unknown)}`,
      'install the newer program',
    )
  return ok('schema', names.at(-1) ?? '')
}

async function key(sql: Sql, config: Config): Promise<Finding> {
  const needed = await recordedKeys(sql)
  const held: readonly string[] = (await readKeys(config))?.keyIds ?? []
  const missing = needed.filter((id) => !held.includes(id))
  if (missing.length > 0)
    return failed(
      'key',
      `the database needs ${someOf(missing)}, which is not in SECRET_KEY or secret.key`,
      'set the previous key; if it is lost, start once with SECRET_KEY_LOST=accept',
    )
  if (needed.length > 1)
    return warning(
      'key',
      `${needed.length} keys are in use`,
      'run "forgehall secret rekey", then remove the old keys',
    )
  return ok('key', needed[0] ?? 'none is needed yet')
}

async function clock(sql: Sql): Promise<Finding> {
  const before = Date.now()
  const { now } = await onlyRow(sql<[{ now: number }]>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`)
  const after = Date.now()
  const off = Math.round(now < before ? now - before : Math.max(0, now - after))
  const found = `the clock of the database is ${(off / 1000).toFixed(1)} s ahead of this one`
  const advice = 'synchronize both machines with NTP'
  if (Math.abs(off) > skew.failed) return failed('clock', found, advice)
  return Math.abs(off) > skew.warning
    ? warning('clock', found, advice)
    : ok('clock', 'agrees with the database')
}
