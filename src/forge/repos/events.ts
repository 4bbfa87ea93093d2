import { emitEvents } from '../../background/domain-events.ts'
import type { Tx } from '../../db/sql.ts'
import type { Account } from '../accounts/account-store.ts'
import { printUser } from '../accounts/user.shape.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import type { ForgeTools } from '../route.ts'
import { copyHooks } from '../webhooks/hook-store.ts'
import { printRepository } from './repo.shape.ts'
import type { Repository } from './repo-store.ts'

/**
 * Emits the event that a repository was created or deleted, in the transaction that does so. Copies the default
 * webhooks to a new repository first.
 */
export async function emitRepositoryEvent(
  tx: Tx,
  { secrets }: Pick<ForgeTools, 'secrets'>,
  facts: { action: 'created' | 'deleted'; row: Repository; owner: Account; sender: Account; host: string },
): Promise<void> {
  const { action, row, owner, sender, host } = facts
  if (action === 'created') await copyHooks(tx, secrets, { from: { site: 'default' }, to: row.id })
  await emitEvents(tx, [
    {
      kind: 'repository.changed',
      location: { repository: row.id, owner: owner.id },
      action,
      repository: printRepository(row, owner, { host, level: LEVELS.owner, known: false }),
      owner: printUser(owner, undefined, host),
      sender: printUser(sender, undefined, host),
    },
  ])
}
