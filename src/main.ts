import { main } from './cli/main.ts'
import { hasCode } from './common/errors.ts'

// Everything that the server, git and worker threads write is accessible to the server's user only.
process.umask(0o077)

// If the log cannot be written (full disk, closed pipe), lines are lost and the server continues.
let stdoutError: Error | undefined
process.stdout.on('error', (error) => {
  stdoutError ??= error
})

const stopped = new Promise<NodeJS.Signals>((resolve) => {
  // Closing the terminal of the process sends SIGHUP. A second signal ends the process at once.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.once(signal, () => {
      resolve(signal)
      process.once(signal, () => process.exit(130))
    })
  }
})

const printError = (line: string) => console.error(`forgehall: ${line}`)

void main({
  args: process.argv.slice(2),
  environment: process.env,
  print: (line) => console.log(line),
  printError,
  ...(process.stderr.isTTY && { draw: (text: string) => void process.stderr.write(`\r\x1b[K${text}`) }),
  stopped,
}).then(async (code) => {
  // Wait until a slow reader has read the output, unless a signal arrives.
  const read = new Promise<void>((resolve) => process.stdout.write('', () => resolve()))
  const signal = await Promise.race([stopped, read])
  process.exitCode = code === 0 && signal === undefined ? exitCodeOfOutput() : code
  // An unresponsive peer may keep a closed connection from ending.
  setTimeout(() => process.exit(), 500).unref()
})

/** A command whose output cannot be written has failed, unless its reader closed the pipe. */
function exitCodeOfOutput(): number {
  if (stdoutError === undefined || hasCode(stdoutError, 'EPIPE')) return 0
  printError(`standard output cannot be written: ${stdoutError.message}`)
  return 1
}
