import type { Signature } from '../../git/repository/first-commit.ts'
import type { Account } from './account-store.ts'
import { placeholderAddress } from './email-address.ts'

/** The author of the commits and tags that a request creates: the caller, with the address that others may see. */
export function signatureOf(me: Account, { from, now }: { from: { host: string }; now: Date }): Signature {
  const email = me.hides_email ? placeholderAddress(me, from.host) : me.email
  return { name: me.full_name || me.name, email, at: now }
}
