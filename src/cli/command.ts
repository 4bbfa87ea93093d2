import { constants } from 'node:os'
import type { ParseArgsConfig } from 'node:util'
import type { Secrets } from '../db/encryption/secrets.ts'
import type { Begin, Pool } from '../db/sql.ts'
import { OperatorError } from '../errors.ts'
import type { PasswordRules } from '../forge/auth/password-rules.ts'
import { Problem } from '../http/route/problem.ts'

/** What the binary stands in. */
export interface Io {
  words: readonly string[]
  environment: Readonly<Record<string, string | undefined>>
  print: (line: string) => void
  printError: (line: string) => void
  /** Settles with a signal's name when the process should stop. */
  stopped: Promise<NodeJS.Signals>
}

/** What a command that works on the database is given. */
export interface CommandContext {
  /** Words after the command's own. */
  words: readonly string[]
  options: Readonly<Record<string, string | boolean | undefined>>
  pool: Pool
  begin: Begin
  clock: () => Date
  /** Writes one line to whoever called, wherever the command runs. */
  print: (line: string) => void
  /** What secrets in the database are encrypted with; opened only when it is needed. */
  secrets: () => Promise<Secrets>
  /** What passwords must be here. */
  passwordRules: PasswordRules
}

/** A command on the database. It runs in its own process, or inside the server that holds the embedded one. */
export interface Command {
  /** Its words, for example `stat set`. */
  name: string
  /** Placeholders of its arguments, for the help text; one that begins with no `<word>` or `[word]` takes options alone. */
  takes: string
  summary: string
  options?: NonNullable<ParseArgsConfig['options']>
  /** @throws UsageError when the words make no sense */
  run: (desk: CommandContext) => Promise<void>
}

/** A command line that cannot be understood: said in one sentence, exit code 2. */
export class UsageError extends OperatorError {
  override readonly exitCode = 2
}

/** What stands in the way and an operator can change: said in one sentence, exit code 1. */
export class SetupError extends OperatorError {}

/** A command that a signal ended before its work was done: the exit code that shells have for that. */
export class Interrupted extends OperatorError {
  override readonly exitCode: number

  constructor(signal: NodeJS.Signals) {
    super(`stopped by ${signal}`)
    this.exitCode = 128 + constants.signals[signal]
  }
}

/**
 * For commands that take no words: one too many may be an option that was meant.
 * @throws UsageError when there are some
 */
export function noArguments({ words }: Pick<CommandContext, 'words'>): void {
  if (words.length > 0) throw new UsageError('this command takes nothing')
}

/**
 * What `work` gives, or what the forge refuses, in its words.
 * @throws UsageError
 */
export async function said<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw error instanceof Problem ? new UsageError(error.message) : error
  }
}
