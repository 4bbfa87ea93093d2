import { activityCommands } from './activity.ts'
import { adminCommands } from './admin.ts'
import { type Command, type CommandContext, noArguments, readArguments } from './command.ts'
import { doctorCommands } from './doctor/doctor.ts'
import { runnerTokenCommands } from './runner-token.ts'
import { secretCommands } from './secret.ts'
import { seedCommands } from './seed/seed.ts'
import { sessionCommands } from './session.ts'
import { statCommands } from './stat.ts'

/** All commands on the database. */
export const commands: readonly Command[] = [
  ...statCommands,
  ...activityCommands,
  ...sessionCommands,
  ...adminCommands,
  ...runnerTokenCommands,
  ...secretCommands,
  ...seedCommands,
  ...doctorCommands,
]

/** The command that the first words name; undefined without one. */
export function commandOf(words: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name.split(' ').every((word, at) => words[at] === word))
}

/** What a command runs with; supplied by its own process or by the server. */
type CommandDeps = Omit<CommandContext, 'words' | 'options'>

/**
 * Parses a command's arguments and runs it.
 * @throws UsageError for invalid arguments
 */
export async function runCommand(
  command: Command,
  words: readonly string[],
  deps: CommandDeps,
): Promise<void> {
  const args = words.slice(command.name.split(' ').length)
  const { values, positionals } = readArguments(args, command.options ?? {})
  if (!/^[<[]\w/.test(command.usage)) noArguments({ words: positionals })
  const options: Record<string, string | boolean | undefined> = {}
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string' || typeof value === 'boolean') options[name] = value
  }
  await command.run({ ...deps, words: positionals, options })
}
