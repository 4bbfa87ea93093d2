import type { Signature } from '../../git/repository/first-commit.ts'
import type { Account } from '../accounts/account-store.ts'
import { placeholderAddress } from './email-address.ts'

/** Who commits and tags that a request makes are by: the caller, with the address that others may see. */
export function signatureOf(me: Account, { from, now }: { from: { host: string }; now: Date }): Signature {
  const hidden = placeholderAddress(me.id, me.name, `noreply.${new URL(from.host).hostname}`)
  return { name: me.full_name || me.name, email: me.hides_email ? hidden : me.email, at: now }
}
