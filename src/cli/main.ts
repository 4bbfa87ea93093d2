import { sep } from 'node:path'
import { secureDataDir } from '../common/data-dir.ts'
import { hasCode, isDiskFull, messageOf, OperatorError, stackOf } from '../common/errors.ts'
import { printable } from '../common/printable.ts'
import { type Config, configure } from '../config.ts'
import { isRejectedByServer, messageFromPostgres, problemFromDatabaseError } from '../http/database-errors.ts'
import { createLog } from '../log.ts'
import { type Io, requireNoArguments } from './command.ts'
import { openConfigured } from './database.ts'

/**
 * The whole program: arguments and environment in, exit code out. 0 success, 1 failure, 2 what an operator must
 * change first (arguments, settings, the database that they name); 128 plus the number of the signal that ended a command, as in shells. A server stopped by a signal exits with 0.
 */
export async function main(io: Io): Promise<number> {
  const { args, print, printError } = io
  if (isOption('--help', args) || args[0] === '-h' || args[0] === 'help') return help(io)
  if (isOption('--version', args) || args[0] === 'version') return printText(print, __VERSION__)
  if (args[0] === 'ssh') return (await import('./ssh/built.ts')).runSshOfBuilt(io)
  if (args[0] === 'licenses') return printText(print, (await import('./licenses.ts')).noticesText())
  const configured = configure(io.environment)
  if ('faults' in configured) {
    for (const fault of configured.faults) printError(fault)
    return 2
  }
  try {
    await dispatch(io, configured.config)
    return 0
  } catch (error) {
    printError(textOf(error, configured.config.dataDir))
    if (error instanceof OperatorError) for (const line of error.details) printError(printable(line))
    return exitCodeOf(error)
  }
}

/** 2 where an operator must change something before another start can succeed: service managers need not try again. */
function exitCodeOf(error: unknown): number {
  if (error instanceof OperatorError) return error.exitCode
  return isRejectedByServer(error) || hasCode(error, ...lasting) ? 2 : 1
}

/** Codes of errors that do not go by themselves: a file where a folder must be, and rights that are missing. */
const lasting = ['EEXIST', 'ENOTDIR', 'EACCES', 'EPERM', '42501']

/** Whether the option is among the arguments before `--`. */
function isOption(name: string, args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return args.slice(0, end === -1 ? undefined : end).includes(name)
}

/** Prints the whole help, or the help for the arguments before `--help`: one command or a group of commands. */
async function help({ args, print, printError }: Io): Promise<number> {
  const { helpText, helpFor } = await import('./help.ts')
  const topic = args.slice(0, Math.max(0, args.indexOf('--help'))).filter((word) => word !== 'help')
  const text = topic.length === 0 ? helpText(__VERSION__) : helpFor(topic)
  if (text !== undefined) return printText(print, text)
  printError(`there is no command "${topic.join(' ')}"; see forgehall --help`)
  return 2
}

const printText = (print: (line: string) => void, text: string) => {
  print(text)
  return 0
}

/** The path of an error of the system about a file, folder or socket, which its message names. */
function pathOfError(error: unknown): string | undefined {
  if (!(error instanceof Error && 'syscall' in error)) return undefined
  if ('path' in error && typeof error.path === 'string') return error.path
  const isSocket = error.syscall === 'listen' && 'address' in error && typeof error.address === 'string'
  return isSocket ? String(error.address) : undefined
}

const isIn = (folder: string, path: string) => path === folder || path.startsWith(folder + sep)

/** One sentence if an operator can fix it, else the stack. Either may quote texts from outside, such as an archive's. */
function textOf(error: unknown, dataDir: string): string {
  const sentence = sentenceOf(error, dataDir)
  return sentence === undefined ? stackOf(error).split('\n').map(printable).join('\n') : printable(sentence)
}

function sentenceOf(error: unknown, dataDir: string): string | undefined {
  if (error instanceof OperatorError) return error.message
  const path = pathOfError(error)
  if (path !== undefined) {
    // The data folder itself, a path in it, or a missing parent folder that cannot be created.
    const concernsDataDir = isIn(dataDir, path) || isIn(path, dataDir)
    return concernsDataDir ? `DATA_DIR cannot be used: ${messageOf(error)}` : messageOf(error)
  }
  // A write to a full or broken disk names no file.
  if (isDiskFull(error) || hasCode(error, 'EIO')) return `DATA_DIR cannot be used: ${messageOf(error)}`
  const problem = problemFromDatabaseError(error, {})
  if (problem?.extra.log !== undefined) return `${problem.message}: ${problem.extra.log}`
  // For example the role may not create a schema.
  const message = messageFromPostgres(error)
  return message === undefined ? undefined : `PostgreSQL reports: ${message}`
}

async function dispatch(io: Io, config: Config): Promise<void> {
  const [first, ...rest] = io.args
  if (first === 'serve' || first === 'migrate') requireNoArguments({ args: rest })
  if (first === undefined || first === 'serve') return startServing(io, config)
  const { runOneOff } = await import('./one-off.ts')
  await runOneOff(io, config)
}

/** Opens the database first: the embedded one starts in its own thread while the rest of the program is evaluated. */
async function startServing({ printError, stopped }: Io, config: Config): Promise<void> {
  // Repositories and packages are stored there even with an external database.
  if (config.databaseUrl !== undefined) await secureDataDir(config.dataDir)
  const log = createLog(config.logLevel)
  const opening = openConfigured(config)
  // It may take ten seconds to find out whether another process holds the folder: a stop does not wait for that.
  const database = await Promise.race([opening, stopped.then(() => undefined)])
  if (!database) {
    void opening.then((late) => late.close(1)).catch(() => {})
    return
  }
  const { serve } = await import('./serve/serve.ts')
  await serve(database, config, { version: __VERSION__, log, stopped, printError })
}
