import { main } from './cli/main.ts'

// A log that cannot be written (its disk is full, its reader has gone) loses lines and stops nobody.
process.stdout.on('error', () => {})

const stopped = new Promise<NodeJS.Signals>((resolve) => {
  // A second signal means now.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      resolve(signal)
      process.once(signal, () => process.exit(130))
    })
  }
})

void main({
  words: process.argv.slice(2),
  environment: process.env,
  print: (line) => console.log(line),
  complain: (line) => console.error(`forgehall: ${line}`),
  stopped,
}).then((code) => {
  process.exitCode = code
  // A peer that has gone silent may keep a closed connection from ending.
  setTimeout(() => process.exit(), 500).unref()
})
