import { activityCommands } from './activity.ts'
import { adminCommands } from './admin.ts'
import { type Command, type CommandContext, readArguments, requireNoArguments } from './command.ts'
import { doctorCommands } from './doctor/doctor.ts'
import { mailCommands } from './mail.ts'
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
  ...mailCommands,
  ...runnerTokenCommands,
  ...secretCommands,
  ...seedCommands,
  ...doctorCommands,
]

/** The command that the first arguments name; undefined if there is none. */
export function commandOf(args: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name.split(' ').every((word, at) => args[at] === word))
}

/** The context of a command without its arguments; from its own process or from the server. */
type CommandDeps = Omit<CommandContext, 'args' | 'options'>

/**
 * Parses a command's arguments and runs it.
 * @throws UsageError for invalid arguments
 */
export async function runCommand(
  command: Command,
  args: readonly string[],
  deps: CommandDeps,
): Promise<void> {
  const afterName = args.slice(command.name.split(' ').length)
  const { values, positionals } = readArguments(afterName, command.options ?? {})
  if (!/^[<[]\w/.test(command.usage)) requireNoArguments({ args: positionals })
  const options: Record<string, string | boolean | undefined> = {}
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string' || typeof value === 'boolean') options[name] = value
  }
  await command.run({ ...deps, args: positionals, options })
}
