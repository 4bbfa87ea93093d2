import { constants } from 'node:os'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { messageOf, OperatorError } from '../common/errors.ts'
import type { Config } from '../config.ts'
import type { Secrets } from '../db/encryption/secrets.ts'
import type { Begin, Pool } from '../db/sql.ts'
import type { VersionSource } from '../db/version.ts'
import type { PasswordRules } from '../forge/auth/password-rules.ts'
import { Problem } from '../http/route/problem.ts'

/** Arguments, environment, output and signals of the process. */
export interface Io {
  args: readonly string[]
  environment: Readonly<Record<string, string | undefined>>
  print: (line: string) => void
  printError: (line: string) => void
  /** Draws over the last line of a terminal; absent if standard error is no terminal. */
  draw?: (text: string) => void
  /** Resolves with the name of a signal when the process should stop. */
  stopped: Promise<NodeJS.Signals>
}

/** The arguments and the dependencies of a command on the database. */
export interface CommandContext {
  /** Arguments after the command's name. */
  args: readonly string[]
  options: Readonly<Record<string, string | boolean | undefined>>
  pool: Pool
  versions: VersionSource
  begin: Begin
  clock: () => Date
  /** Writes one line to the caller's standard output, also when the command runs inside the server. */
  print: (line: string) => void
  /** The keys for secrets in the database; opened on first use. */
  secrets: () => Promise<Secrets>
  /** The site's rules for passwords. */
  passwordRules: PasswordRules
  /** The settings of the process in which it runs. */
  config: Config
}

type OptionTypes = NonNullable<ParseArgsConfig['options']>

/** A command on the database. Runs in its own process, or inside the server that holds the embedded database. */
export interface Command {
  /** Its name, one or two words, for example `stat set`. */
  name: string
  /** Placeholders of its arguments, for the help text; without a leading `<word>` or `[word]` it takes only options. */
  usage: string
  summary: string
  options?: OptionTypes
  /** @throws UsageError for invalid arguments */
  run: (context: CommandContext) => Promise<void>
}

/** An invalid command line: printed as one sentence, exit code 2. */
export class UsageError extends OperatorError {
  override readonly exitCode = 2
}

/** A problem that an operator can fix: printed as one sentence, exit code 1. */
export class SetupError extends OperatorError {}

/** A setting that an operator must change first: printed as one sentence, exit code 2. */
export class SettingError extends OperatorError {
  override readonly exitCode = 2
}

/** A signal ended a command before it finished; exit code 128 plus the signal's number, as in shells. */
class Interrupted extends OperatorError {
  override readonly exitCode: number

  constructor(signal: NodeJS.Signals) {
    super(`stopped by ${signal}`)
    this.exitCode = 128 + constants.signals[signal]
  }
}

/** Parses arguments. @throws UsageError for unknown options and missing values */
export function readArguments<const Options extends OptionTypes>(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(messageOf(error).replaceAll('\n', ' '))
  }
}

/** @throws UsageError when there are arguments: one may be a misspelt option */
export function requireNoArguments({ args }: Pick<CommandContext, 'args'>): void {
  if (args.length > 0) throw new UsageError('this command takes no arguments')
}

/**
 * The result of `work`.
 * @throws UsageError with the message of a Problem
 */
export async function problemsAsUsageErrors<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw error instanceof Problem ? new UsageError(error.message) : error
  }
}

/** The result of the work. @throws Interrupted when a signal arrives first */
export function unlessStopped<Result>(stopped: Io['stopped'], work: Promise<Result>): Promise<Result> {
  const interrupted = stopped.then((signal) => {
    throw new Interrupted(signal)
  })
  return Promise.race([work, interrupted])
}

/** For work that cleans up after itself: aborts with Interrupted when a signal arrives. */
export function stopSignal(stopped: Io['stopped']): AbortSignal {
  const controller = new AbortController()
  void stopped.then((signal) => controller.abort(new Interrupted(signal)))
  return controller.signal
}
