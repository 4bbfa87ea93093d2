import { emitEvents } from '../../background/domain-events.ts'
import type { Tx } from '../../db/sql.ts'
import { type Account, accountById } from '../accounts/account-store.ts'
import { printUser } from '../accounts/user.shape.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import type { ForgeTools } from '../route.ts'
import { copyHooks } from '../webhooks/hook-store.ts'
import { printRepository } from './repo.shape.ts'
import { type Repository, repositoryById } from './repo-store.ts'

/**
 * Emits the event that a repository was created or deleted, in the transaction that does so; for a new fork, its parent
 * gets one, too. Copies the default webhooks to a new repository first.
 */
export async function emitRepositoryEvent(
  tx: Tx,
  { secrets }: Pick<ForgeTools, 'secrets'>,
  facts: { action: 'created' | 'deleted'; row: Repository; owner: Account; sender: Account; host: string },
): Promise<void> {
  const { action, row, owner, sender, host } = facts
  if (action === 'created') await copyHooks(tx, secrets, { from: { site: 'default' }, to: row.id })
  const view = { host, level: LEVELS.owner, known: false }
  const parentRow =
    action === 'created' && row.parent_id ? await repositoryById(tx, row.parent_id) : undefined
  const parentOwner = parentRow && (await accountById(tx, parentRow.owner_id))
  const parent = parentOwner && printRepository(parentRow, parentOwner, view)
  const both = {
    repository: printRepository(row, owner, { ...view, parent }),
    sender: printUser(sender, undefined, host),
  }
  const forked = parent && {
    kind: 'repository.forked' as const,
    location: { repository: parent.id, owner: parentOwner.id },
    parent,
    ...both,
  }
  await emitEvents(tx, [
    {
      kind: 'repository.changed',
      location: { repository: row.id, owner: owner.id },
      action,
      ...both,
      owner: printUser(owner, undefined, host),
    },
    ...(forked ? [forked] : []),
  ])
}
