import { BOT_ID } from '../../actions/run/bot.ts'
import { unprocessable } from '../../http/route/problem.ts'
import type { Account } from './account.ts'

/**
 * Why an account is neither edited, renamed nor given anything to own or to share in (422), or undefined: jobs call as the
 * bot of Actions, each with what its own repository allows, and whoever could sign in as it, or take it away, would have
 * all of them. Its name is reserved, so nobody could give it back.
 */
export function systemFault({ id, name }: Pick<Account, 'id' | 'name'>): string | undefined {
  return id === BOT_ID ? `${name} is whom Actions acts as: it stays as it is` : undefined
}

/** @throws Problem 422 where an account of the system would own something, or share in it */
export function refuseSystem(account: Pick<Account, 'id' | 'name'>): void {
  const fault = systemFault(account)
  if (fault !== undefined) throw unprocessable(fault)
}
