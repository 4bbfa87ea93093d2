import { forbidRootInForeign } from '../common/data-dir.ts'
import type { Config } from '../config.ts'
import { beginOn } from '../db/begin.ts'
import type { Database } from '../db/database.ts'
import { lacksDatabase } from '../db/embedded.ts'
import type { Secrets } from '../db/encryption/secrets.ts'
import { LockedError } from '../db/lock.ts'
import { migrate } from '../db/migrate/migrate.ts'
import { migrations } from '../db/migrate/migrations.ts'
import { runBackup } from './archive/backup.ts'
import { runRestore } from './archive/restore.ts'
import { type Command, type Io, UsageError, unlessStopped } from './command.ts'
import { openConfigured } from './database.ts'
import { runDoctor } from './doctor/doctor.ts'
import { keysForCommand, type ReportUnreadable } from './keys.ts'
import { commandOf, commands, runCommand } from './run.ts'
import { callSocket, untilServed } from './socket.ts'

const clock = () => new Date()

/**
 * Runs everything but the server: `migrate`, `backup`, `restore`, `doctor`, or a command on the database.
 * @throws UsageError, Interrupted, and database errors
 */
export async function runOneOff(io: Io, config: Config): Promise<void> {
  const { args, print } = io
  if (args[0] === 'migrate') return onDatabase(io, config, async () => print('the schema is up to date'))
  if (args[0] === 'backup') return runBackup(io, config, args.slice(1))
  if (args[0] === 'restore') return runRestore(io, config, args.slice(1))
  if (args[0] === 'doctor') return runDoctor(io, config)
  const command = commandOf(args)
  if (!command) throw new UsageError(unknownCommand(args))
  await runLocallyOrInServer(command, io, config)
}

/** Lists the commands of a group such as `admin`, whose name alone is no command. */
function unknownCommand(args: readonly string[]): string {
  const group = commands.filter(({ name }) => name.startsWith(`${args[0]} `)).map(({ name }) => name)
  if (group.length === 0) return `there is no command "${args.join(' ')}"; see forgehall --help`
  const fault = args.length === 1 ? 'needs one more word' : `has no command "${args.slice(1).join(' ')}"`
  return `"${args[0]}" ${fault}: ${group.join(', ')}; see forgehall ${args[0]} --help`
}

/** If a server holds the embedded database, that server runs the command, and finishes it even if the caller leaves. */
async function runLocallyOrInServer(command: Command, io: Io, config: Config): Promise<void> {
  const { args, print, stopped } = io
  const { databaseUrl, dataDir } = config
  if (databaseUrl === undefined && (await unlessStopped(stopped, callSocket(dataDir, args, print)))) return
  if (databaseUrl === undefined && (await lacksDatabase(dataDir)))
    throw new UsageError(
      `there is no database in ${dataDir}: set DATA_DIR to the folder of the server, or create one with "forgehall migrate"`,
    )
  const runLocally = () =>
    onDatabase(io, config, ({ pool, versions }, secrets) =>
      runCommand(command, args, {
        pool,
        versions,
        begin: beginOn(pool, clock),
        clock,
        print,
        secrets,
        passwordRules: config.passwordRules,
        config,
      }),
    )
  await runLocally().catch(async (error: unknown) => {
    if (!(error instanceof LockedError)) throw error
    const call = async () => (await callSocket(dataDir, args, print)) || undefined
    await unlessStopped(stopped, untilServed(call, error))
  })
}

/** Opens the database, migrates, checks the keys, runs `work` and closes the database; a signal ends it early. */
async function onDatabase(
  { stopped, printError }: Io,
  config: Config,
  work: (database: Database, secrets: () => Promise<Secrets>) => Promise<void>,
): Promise<void> {
  const report: ReportUnreadable = (message, { what, count }) => printError(`${what}: ${count} ${message}`)
  // A command of root must not create the database of a server that runs as another user.
  if (config.databaseUrl === undefined) await forbidRootInForeign(config.dataDir)
  const database = await openConfigured(config)
  const worked = async () => {
    await database.opened
    await database.withoutTimeout((pool) => migrate(pool, migrations))
    const { pool } = database
    await work(database, await keysForCommand({ pool, config, clock, report }))
  }
  try {
    await unlessStopped(stopped, worked())
  } finally {
    await database.close(2)
  }
}
