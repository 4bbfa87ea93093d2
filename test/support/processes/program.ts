import { createLauncher } from '../../../src/git/program/launcher.ts'
import { longest } from '../wait.ts'

/** One for all files of a process. It ends with this process, and keeps it from nothing. */
const launcher = createLauncher()

interface RanProgram {
  code: number
  stdout: Buffer
  /** The end of it, without blanks around. */
  stderr: string
}

/**
 * Runs a program to its end, without input. A process of the suite is large, so that each `fork` of it takes longer than a
 * run of git: a small process starts them, as for the server.
 */
export async function runProgram(
  command: string,
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> },
): Promise<RanProgram> {
  const program = { command, args, folder: cwd, environment: env, niced: false }
  const { stdin, stdout, signal, exit } = launcher.launch(program, {})
  const timer = setTimeout(() => signal('SIGKILL'), longest)
  const chunks: Buffer[] = []
  stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  stdin.end()
  const { code, stderr, error } = await exit.finally(() => clearTimeout(timer))
  if (error) throw new Error(`${command} was not started: ${error.message}`)
  return { code: code ?? 1, stdout: Buffer.concat(chunks), stderr }
}
