import type { Config } from '../config.ts'
import { beginOn } from '../db/begin.ts'
import { lacksDatabase } from '../db/embedded/embedded.ts'
import type { Secrets } from '../db/encryption/secrets.ts'
import { migrate } from '../db/migrate/migrate.ts'
import { migrations } from '../db/migrate/migrations.ts'
import type { Pool } from '../db/sql.ts'
import { type Command, Interrupted, type Io, UsageError } from './command.ts'
import { openConfigured } from './database.ts'
import { keysForCommand, type ReportUnreadable } from './keys.ts'
import { commandOf, runCommand } from './run.ts'
import { callSocket } from './socket.ts'

const clock = () => new Date()

/**
 * Runs what is no server: `migrate`, or a command on the database.
 * @throws UsageError, Interrupted, and whatever is wrong with the database
 */
export async function runOneOff(io: Io, config: Config): Promise<void> {
  const { words, print } = io
  if (words[0] === 'migrate') return onDatabase(io, config, async () => print('the schema is up to date'))
  const command = commandOf(words)
  if (!command) throw new UsageError(`there is no command "${words.join(' ')}"; see forgehall --help`)
  await runHereOrThere(command, io, config)
}

/** Commands on an embedded database that a server holds are run by that server, to their end whoever still waits. */
async function runHereOrThere(command: Command, io: Io, config: Config): Promise<void> {
  const { words, print, stopped } = io
  const { databaseUrl, dataDir } = config
  if (databaseUrl === undefined && (await unless(stopped, callSocket(dataDir, words, print)))) return
  if (databaseUrl === undefined && (await lacksDatabase(dataDir)))
    throw new UsageError(
      `there is no database in ${dataDir}: set DATA_DIR to the folder of the server, or make one with "forgehall migrate"`,
    )
  await onDatabase(io, config, (pool, secrets) =>
    runCommand(command, words, {
      pool,
      begin: beginOn(pool, clock),
      clock,
      print,
      secrets,
      passwordRules: config.passwordRules,
    }),
  )
}

/**
 * Opens the database, brings its schema up to date, checks the keys, works, and closes it: early when the process should
 * stop.
 */
async function onDatabase(
  { stopped, printError }: Io,
  config: Config,
  work: (pool: Pool, secrets: () => Promise<Secrets>) => Promise<void>,
): Promise<void> {
  const report: ReportUnreadable = (message, { what, count }) => printError(`${what}: ${count} ${message}`)
  const database = await openConfigured(config)
  const worked = async () => {
    await database.opened
    await database.withoutTimeout((pool) => migrate(pool, migrations))
    const { pool } = database
    await work(pool, await keysForCommand({ pool, config, clock, report }))
  }
  try {
    await unless(stopped, worked())
  } finally {
    await database.close(2)
  }
}

/** What the work gives. @throws Interrupted when the process should stop before */
function unless<Result>(stopped: Io['stopped'], work: Promise<Result>): Promise<Result> {
  const interrupted = stopped.then((signal) => {
    throw new Interrupted(signal)
  })
  return Promise.race([work, interrupted])
}
