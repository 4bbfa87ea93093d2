import { BOT_ID } from '../../actions/run/bot.ts'
import { unprocessable } from '../../http/route/problem.ts'
import type { Account } from './account-store.ts'

/**
 * Why an account may not be edited, renamed, signed in to or given anything (422), or undefined. All jobs act as the
 * Actions bot, each with the rights in its own repository. An account that could sign in as the bot would have the
 * rights of all jobs, and a deleted bot could not be created again, since its name is reserved.
 */
export function systemFault({ id, name }: Pick<Account, 'id' | 'name'>): string | undefined {
  return id === BOT_ID ? `${name} is whom Actions acts as: it stays as it is` : undefined
}

/** @throws Problem 422 if a system account would own something or get a share in it */
export function refuseSystem(account: Pick<Account, 'id' | 'name'>): void {
  const fault = systemFault(account)
  if (fault !== undefined) throw unprocessable(fault)
}
