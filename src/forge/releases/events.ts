import { type EventOf, emitEvents } from '../../background/domain-events.ts'
import type { Tx } from '../../db/sql.ts'
import { printUser } from '../accounts/user.shape.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import type { SignedInOnRepository } from '../repos/access.ts'
import { printRepository } from '../repos/repo.shape.ts'
import type { Repository } from '../repos/repo-store.ts'
import type { ForgeContext } from '../route.ts'
import type { Release } from './release.shape.ts'

/** Emits an event of a release, which is printed for anybody; a draft has none. */
export async function emitReleaseEvent(
  tx: Tx,
  { caller, from: { host } }: Pick<ForgeContext<SignedInOnRepository>, 'caller' | 'from'>,
  facts: {
    row: Repository
    release: Release
    action: EventOf<'release.changed'>['action']
    commit: string | null
  },
): Promise<void> {
  const { row, release, action, commit } = facts
  const { me: sender, subject: owner } = caller
  if (release.draft) return
  await emitEvents(tx, [
    {
      kind: 'release.changed',
      location: { repository: row.id, owner: owner.id },
      actor: sender.id,
      action,
      commit,
      release,
      repository: printRepository(row, owner, { host, level: LEVELS.owner, known: false }),
      sender: printUser(sender, undefined, host),
    },
  ])
}
