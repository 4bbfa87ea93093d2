import { constants } from 'node:os'
import { sep } from 'node:path'
import { NoSuchTask } from '../background/schedule.ts'
import { traceOf } from '../codes.ts'
import { type Config, configure } from '../config.ts'
import { beginOn } from '../db/begin.ts'
import { openDatabase } from '../db/database.ts'
import { LockedError } from '../db/lock.ts'
import { migrate } from '../db/migrate.ts'
import { migrations } from '../db/migrations.ts'
import { refusalOf } from '../db/refuse.ts'
import type { Pool } from '../db/sql.ts'
import { TemplateFaults } from '../forge/templates/operator.ts'
import { type Command, ObstacleError, UsageError } from './command.ts'
import { helpText } from './help.ts'
import { none } from './named.ts'
import { commandOf, commands, runCommand } from './run.ts'
import { serve } from './serve.ts'
import { callSocket } from './socket.ts'
import { openSecrets } from './yard.ts'

/** What the binary stands in. */
export interface Surroundings {
  words: readonly string[]
  environment: Readonly<Record<string, string | undefined>>
  print: (line: string) => void
  complain: (line: string) => void
  /** Settles with a signal's name when the process should stop. */
  stopped: Promise<NodeJS.Signals>
}

/** A command that a signal ended before its work was done. */
class Interrupted extends Error {
  constructor(readonly signal: NodeJS.Signals) {
    super(`stopped by ${signal}`)
  }
}

/**
 * The whole binary: words and environment in, exit code out. 0 well, 1 failed, 2 not understood; 128 and the number of
 * the signal that ended a command, as shells have it. A server that is told to stop has done well.
 */
export async function main(around: Surroundings): Promise<number> {
  const { words, print, complain } = around
  if (words.includes('--help') || words[0] === '-h' || words[0] === 'help')
    return say(print, helpText(__VERSION__, commands))
  if (words.includes('--version') || words[0] === 'version') return say(print, __VERSION__)
  const configured = configure(around.environment)
  if ('faults' in configured) {
    for (const fault of configured.faults) complain(fault)
    return 1
  }
  try {
    await dispatch(around, configured.config)
    return 0
  } catch (error) {
    complain(sentenceOf(error, configured.config.dataDir))
    if (error instanceof Interrupted) return 128 + constants.signals[error.signal]
    return error instanceof UsageError ? 2 : 1
  }
}

const say = (print: (line: string) => void, text: string) => {
  print(text)
  return 0
}

/** Errors whose message is a sentence for the operator. */
const ofOperator = [UsageError, ObstacleError, LockedError, TemplateFaults, NoSuchTask, Interrupted]

/** What the system says of a file or folder, which its message names. */
function isOfFile(error: unknown): error is Error & { path: string } {
  return error instanceof Error && 'syscall' in error && 'path' in error && typeof error.path === 'string'
}

const isIn = (folder: string, path: string) => path === folder || path.startsWith(folder + sep)

/** One sentence for what an operator can change, all that is known of the rest. */
function sentenceOf(error: unknown, dataDir: string): string {
  if (error instanceof Error && ofOperator.some((kind) => error instanceof kind)) return error.message
  if (isOfFile(error))
    return isIn(dataDir, error.path) ? `DATA_DIR cannot be used: ${error.message}` : error.message
  const refusal = refusalOf(error, {})
  if (refusal?.extra.log !== undefined) return `${refusal.message}: ${refusal.extra.log}`
  return traceOf(error)
}

async function dispatch(around: Surroundings, config: Config): Promise<void> {
  const { words, print, complain, stopped } = around
  const [first, ...rest] = words
  if (first === 'serve' || first === 'migrate') none({ words: rest })
  if (first === undefined || first === 'serve') return serve(config, __VERSION__, stopped, complain)
  if (first === 'migrate') return onDatabase(config, stopped, async () => print('the schema is up to date'))
  const command = commandOf(words)
  if (!command) throw new UsageError(`there is no command "${words.join(' ')}"; see forgehall --help`)
  await runHereOrThere(command, around, config)
}

/** Commands on an embedded database that a server holds are run by that server, to their end whoever still waits. */
async function runHereOrThere(
  command: Command,
  { words, print, stopped }: Surroundings,
  config: Config,
): Promise<void> {
  const { databaseUrl, dataDir } = config
  if (databaseUrl === undefined && (await unless(stopped, callSocket(dataDir, words, print)))) return
  const clock = () => new Date()
  await onDatabase(config, stopped, (pool) =>
    runCommand(command, words, {
      pool,
      begin: beginOn(pool, clock),
      clock,
      print,
      secrets: () => openSecrets(config),
      passwordRules: config.passwordRules,
    }),
  )
}

/** Opens the database, brings its schema up to date, works, and closes it: early when the process should stop. */
async function onDatabase(
  { databaseUrl: url, dataDir, poolSize, databaseTimeout }: Config,
  stopped: Surroundings['stopped'],
  work: (pool: Pool) => Promise<void>,
): Promise<void> {
  const database = await openDatabase({ url, dataDir, poolSize, statementTimeout: 2 * databaseTimeout })
  const worked = async () => {
    await database.opened
    await database.patiently((pool) => migrate(pool, migrations))
    await work(database.pool)
  }
  try {
    await unless(stopped, worked())
  } finally {
    await database.close(2)
  }
}

/** What the work gives. @throws Interrupted when the process should stop before */
function unless<Result>(stopped: Surroundings['stopped'], work: Promise<Result>): Promise<Result> {
  const interrupted = stopped.then((signal) => {
    throw new Interrupted(signal)
  })
  return Promise.race([work, interrupted])
}
