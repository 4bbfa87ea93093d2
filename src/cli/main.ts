import { sep } from 'node:path'
import { type Config, configure } from '../config.ts'
import { secureDataDir } from '../data-dir.ts'
import { hasCode, isDiskFull, messageOf, OperatorError, stackOf } from '../errors.ts'
import { messageFromPostgres, problemFromDatabaseError } from '../http/database-errors.ts'
import { type Io, noArguments } from './command.ts'
import { openConfigured } from './database.ts'

/**
 * The whole binary: words and environment in, exit code out. 0 well, 1 failed, 2 not understood; 128 and the number of
 * the signal that ended a command, as shells have it. A server that is told to stop has done well.
 */
export async function main(io: Io): Promise<number> {
  const { words, print, printError } = io
  if (isOption('--help', words) || words[0] === '-h' || words[0] === 'help') return help(io)
  if (isOption('--version', words) || words[0] === 'version') return say(print, __VERSION__)
  const configured = configure(io.environment)
  if ('faults' in configured) {
    for (const fault of configured.faults) printError(fault)
    return 1
  }
  try {
    await dispatch(io, configured.config)
    return 0
  } catch (error) {
    printError(sentenceOf(error, configured.config.dataDir))
    return error instanceof OperatorError ? error.exitCode : 1
  }
}

/** Whether it is among the words, and not behind `--`, where words are what they are. */
function isOption(name: string, words: readonly string[]): boolean {
  const end = words.indexOf('--')
  return words.slice(0, end === -1 ? undefined : end).includes(name)
}

/** All of it, or what the words before `--help` begin with: a command, or those of one kind. */
async function help({ words, print, printError }: Io): Promise<number> {
  const { helpText, helpFor } = await import('./help.ts')
  const asked = words.slice(0, Math.max(0, words.indexOf('--help'))).filter((word) => word !== 'help')
  const text = asked.length === 0 ? helpText(__VERSION__) : helpFor(asked)
  if (text !== undefined) return say(print, text)
  printError(`there is no command "${asked.join(' ')}"; see forgehall --help`)
  return 2
}

const say = (print: (line: string) => void, text: string) => {
  print(text)
  return 0
}

/** What the system says of a file or folder, which its message names. */
function isOfFile(error: unknown): error is Error & { path: string } {
  return error instanceof Error && 'syscall' in error && 'path' in error && typeof error.path === 'string'
}

const isIn = (folder: string, path: string) => path === folder || path.startsWith(folder + sep)

/** One sentence for what an operator can change, all that is known of the rest. */
function sentenceOf(error: unknown, dataDir: string): string {
  if (error instanceof OperatorError) return error.message
  if (isOfFile(error)) {
    // The folder itself, what lies in it, or a folder above it that cannot be made.
    const isOfDataDir = isIn(dataDir, error.path) || isIn(error.path, dataDir)
    return isOfDataDir ? `DATA_DIR cannot be used: ${error.message}` : error.message
  }
  // A write to a disk that is full or broken names no file.
  if (isDiskFull(error) || hasCode(error, 'EIO')) return `DATA_DIR cannot be used: ${messageOf(error)}`
  const refusal = problemFromDatabaseError(error, {})
  if (refusal?.extra.log !== undefined) return `${refusal.message}: ${refusal.extra.log}`
  // For example that the role may not make a schema, or that a parameter of DATABASE_URL is unknown.
  const words = messageFromPostgres(error)
  if (words !== undefined) return `PostgreSQL refuses: ${words}`
  return stackOf(error)
}

async function dispatch(io: Io, config: Config): Promise<void> {
  const [first, ...rest] = io.words
  if (first === 'serve' || first === 'migrate') noArguments({ words: rest })
  if (first === undefined || first === 'serve') return startServing(io, config)
  const { runOneOff } = await import('./one-off.ts')
  await runOneOff(io, config)
}

/** The rest of the program is not evaluated before the embedded database starts, in a thread of its own. */
async function startServing({ printError, stopped }: Io, config: Config): Promise<void> {
  // Repositories and packages lie there, wherever the database is.
  if (config.databaseUrl !== undefined) await secureDataDir(config.dataDir)
  const opening = openConfigured(config)
  // Another holder of the folder may have to be watched for ten seconds: a stop does not wait for that.
  const database = await Promise.race([opening, stopped.then(() => undefined)])
  if (!database) {
    void opening.then((late) => late.close(1)).catch(() => {})
    return
  }
  const { serve } = await import('./serve.ts')
  await serve(database, config, __VERSION__, stopped, printError)
}
