import { join, resolve } from 'node:path'
import { isSea } from 'node:sea'
import type { Io } from '../command.ts'
import { sshFolder } from './folder.ts'
import { quoted, runSsh } from './run.ts'

/** `forgehall ssh …`: what the program beside the sockets does, for an executable that runs no other script. */
export function runSshOfBuilt({ args, environment }: Io): Promise<number> {
  const { DATA_DIR = './data' } = environment
  const dataDir = resolve(DATA_DIR)
  const words = [process.execPath, ...(isSea() ? [] : [process.argv[1] ?? ''])]
  return runSsh({
    args: args.slice(1),
    environment,
    folder: join(dataDir, sshFolder),
    program: `DATA_DIR=${quoted(dataDir)} ${words.map(quoted).join(' ')} ssh`,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
  })
}
