import type { Account } from '../accounts/account-store.ts'
import { isPublicOnly } from '../auth/access.ts'
import type { Caller } from '../auth/caller.ts'

/** Which repositories the reader of a list may see. */

/** The reader of a list. */
export interface Reader {
  me: Pick<Account, 'id' | 'is_admin' | 'is_restricted'> | undefined
  /** Whether the reader's token is limited to public resources. */
  publicOnly: boolean
}

/** A caller as the reader of a list. */
export const readerOf = (caller: Pick<Caller, 'me' | 'token'>): Reader => ({
  me: caller.me,
  publicOnly: isPublicOnly(caller),
})

/** The visibilities of owners whose public repositories and packages the reader sees. (Administrators see all.) */
export const visibleOwners = ({ me, publicOnly }: Reader) =>
  me && !me.is_restricted && !publicOnly ? ['public', 'limited'] : ['public']
