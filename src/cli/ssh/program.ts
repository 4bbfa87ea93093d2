import { dirname } from 'node:path'
import { quoted, runSsh } from './run.ts'

/** The program that a server writes beside its sockets: it starts faster than the whole file (`serve/ssh-socket.ts`). */

const [node = '', script = '', ...args] = process.argv

void runSsh({
  args,
  environment: process.env,
  folder: dirname(script),
  program: [node, script].map(quoted).join(' '),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
}).then((code) => {
  // The client may leave its side open.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)))
})
