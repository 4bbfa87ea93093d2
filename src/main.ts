import { main } from './cli/main.ts'
import { hasCode } from './errors.ts'

// Repositories, packages and whatever git and worker threads write belong to the user of the server alone.
process.umask(0o077)

// A log that cannot be written (its disk is full, its reader has gone) loses lines and stops nobody.
let lost: Error | undefined
process.stdout.on('error', (error) => {
  lost ??= error
})

const stopped = new Promise<NodeJS.Signals>((resolve) => {
  // A second signal means now.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      resolve(signal)
      process.once(signal, () => process.exit(130))
    })
  }
})

const printError = (line: string) => console.error(`forgehall: ${line}`)

void main({
  words: process.argv.slice(2),
  environment: process.env,
  print: (line) => console.log(line),
  printError,
  stopped,
}).then(async (code) => {
  // A slow reader is given all that was printed; who was told to stop waits for nobody.
  const read = new Promise<void>((resolve) => process.stdout.write('', () => resolve()))
  const signal = await Promise.race([stopped, read])
  process.exitCode = code === 0 && signal === undefined ? whetherPrinted() : code
  // A peer that has gone silent may keep a closed connection from ending.
  setTimeout(() => process.exit(), 500).unref()
})

/** What a command was asked for is its output: without it, it has failed, unless its reader had enough. */
function whetherPrinted(): number {
  if (lost === undefined || hasCode(lost, 'EPIPE')) return 0
  printError(`standard output cannot be written: ${lost.message}`)
  return 1
}
