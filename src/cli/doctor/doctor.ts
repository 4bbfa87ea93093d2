import { openBlobs } from '../../blobs/open.ts'
import { messageOf } from '../../common/errors.ts'
import type { Config } from '../../config.ts'
import { lacksDatabase } from '../../db/embedded.ts'
import type { Pool } from '../../db/sql.ts'
import {
  type Command,
  type Io,
  requireNoArguments,
  SetupError,
  UsageError,
  unlessStopped,
} from '../command.ts'
import { withDatabase } from '../database.ts'
import { callSocket } from '../socket.ts'
import { checkDatabase } from './database.ts'
import { checkPackages, checkRepositories } from './files.ts'
import { type Finding, failed, tableOf } from './finding.ts'
import { checkMachine } from './machine.ts'
import { checkStore } from './store.ts'

/** `forgehall doctor` inside the server that holds the embedded database. */
const doctor: Command = {
  name: 'doctor',
  usage: '[--json]',
  summary: 'check settings, programs, database, disk and files, and print what to do',
  options: { json: { type: 'boolean' } },
  async run({ args, options, pool, config, print }) {
    requireNoArguments({ args })
    report(
      [...(await checkMachine(config)), ...(await checkOpened(pool, config))],
      options.json === true,
      print,
    )
  },
}

export const doctorCommands = [doctor]

/**
 * `forgehall doctor` in this process, or in the server that holds the embedded database. It creates no database and
 * applies no migration.
 * @throws UsageError, Interrupted, SetupError when a check has failed
 */
export async function runDoctor({ args, print, stopped }: Io, config: Config): Promise<void> {
  const { databaseUrl, dataDir } = config
  const [option, ...others] = args.slice(1)
  if ((option !== undefined && option !== '--json') || others.length > 0)
    throw new UsageError('doctor takes no arguments except --json')
  if (databaseUrl === undefined && (await unlessStopped(stopped, callSocket(dataDir, args, print)))) return
  const findings = await checkMachine(config)
  findings.push(...(await unlessStopped(stopped, checkUnopened(config, stopped))))
  report(findings, option === '--json', print)
}

async function checkUnopened(config: Config, stopped: Io['stopped']): Promise<Finding[]> {
  if (config.databaseUrl === undefined && (await lacksDatabase(config.dataDir)))
    return [
      failed('database', `there is none in ${config.dataDir}`, 'set DATA_DIR, or start the server once'),
    ]
  try {
    return await withDatabase(config, ({ pool }) => checkOpened(pool, config), stopped)
  } catch (error) {
    const advice =
      config.databaseUrl === undefined
        ? 'fix what the message says'
        : 'check that PostgreSQL runs, and that DATABASE_URL has its address, user, password and database'
    return [failed('database', messageOf(error) || String(error), advice)]
  }
}

async function checkOpened(pool: Pool, config: Config): Promise<Finding[]> {
  const findings = await checkDatabase(pool, config)
  const hasSchema = findings.every(({ check, state }) => check !== 'schema' || state !== 'failed')
  if (!hasSchema) return findings
  const blobs = openBlobs(config)
  try {
    findings.push(...(await checkRepositories(pool, config.dataDir)))
    const store = config.s3 ? [await checkStore(blobs)] : []
    const isReached = store.every(({ state }) => state === 'ok')
    return [...findings, ...store, ...(isReached ? await checkPackages(pool, blobs) : [])]
  } finally {
    blobs.close()
  }
}

/** @throws SetupError when a check has failed */
function report(findings: readonly Finding[], asJson: boolean, print: (line: string) => void): void {
  for (const line of asJson ? [JSON.stringify(findings)] : tableOf(findings)) print(line)
  const count = findings.filter(({ state }) => state === 'failed').length
  if (count > 0) throw new SetupError(`${count} of ${findings.length} checks failed`)
}
