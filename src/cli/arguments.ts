import { type Account, accountByName } from '../forge/accounts/account-store.ts'
import { type CommandContext, UsageError } from './command.ts'

/** The only argument of a command. @throws UsageError for none or several */
export function oneArgument({ args }: Pick<CommandContext, 'args'>): string {
  const [name] = args
  if (name === undefined || args.length > 1) throw new UsageError('this command takes one name')
  return name
}

/** The account of that name. @throws UsageError when there is none */
export async function findAccount({ pool }: Pick<CommandContext, 'pool'>, name: string): Promise<Account> {
  const account = await accountByName(pool, name)
  if (!account) throw new UsageError(`there is no "${name}"`)
  return account
}
