import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described } from '../../http/route/values.ts'
import type { Account } from '../accounts/account-store.ts'
import { ghost } from '../accounts/ghost.ts'
import { moment, printUser, User, type Viewer } from '../accounts/user.shape.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import type { StoredReaction } from './reaction-store.ts'

/** The allowed reactions: short names of emoji. `/settings/ui` lists them for clients. */
export const REACTIONS = ['+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes'] as const

/** Gitea's Reaction. */
export const Reaction = shape('Reaction', {
  user: User,
  content: described(v.string(), 'Short name of the emoji, such as `heart`'),
  created_at: moment,
})
export type Reaction = v.InferOutput<typeof Reaction>

/** `account` is the account that reacted; undefined if it was deleted. */
export function printReaction(
  { content, created_at }: Pick<StoredReaction, 'content' | 'created_at'>,
  account: Account | undefined,
  { viewer, host }: { viewer: Viewer; host: string },
): Reaction {
  const user = printUser(account ?? ghost, viewer, host)
  return { user, content, created_at: printTime(created_at, EPOCH) }
}
