import type { Io } from '../../src/cli/command.ts'
import { main } from '../../src/cli/main.ts'
import type { Environment, Ran } from './binary.ts'

/**
 * Does what the built file does with these words, without a process of its own, which takes most of the time of a short
 * command: for the many cases of something that has been shown with the built file once. `surroundings` takes the place of
 * what a process has otherwise, such as a terminal.
 */
export async function runInProcess(
  args: readonly string[],
  environment: Environment,
  surroundings: Partial<Io> = {},
): Promise<Ran> {
  const said = { out: '', err: '' }
  const code = await main({
    args,
    environment,
    print: (line) => {
      said.out += `${line}\n`
    },
    printError: (line) => {
      said.err += `forgehall: ${line}\n`
    },
    stopped: new Promise(() => {}),
    ...surroundings,
  })
  return { code, ...said }
}
