import * as v from 'valibot'
import type { Account } from '../accounts/account.ts'
import { ghost } from '../accounts/ghost.ts'
import { option, text } from '../protocol/fields.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import { moment, printUser, User, type Viewer } from '../users/user.shape.ts'
import type { StoredReaction } from './reaction-store.ts'

/** The reactions that there are: short names of emoji. `/settings/ui` tells clients of them. */
export const REACTIONS = ['+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes'] as const

/** Reaction of the original. */
export const Reaction = v.object({ user: User, content: v.string(), created_at: moment })
export type Reaction = v.InferOutput<typeof Reaction>

/** EditReactionOption of the original. */
export const EditReactionOption = option({ content: text() })

/** `account` is that of the reaction; undefined: it was deleted meanwhile. */
export function printReaction(
  { content, created_at }: Pick<StoredReaction, 'content' | 'created_at'>,
  account: Account | undefined,
  { viewer, host }: { viewer: Viewer; host: string },
): Reaction {
  const user = printUser(account ?? ghost, viewer, host)
  return { user, content, created_at: printTime(created_at, EPOCH) }
}
