import type { Tx } from '../db/sql.ts'
import type { Account } from './account.ts'
import { emitHook } from './hook-events.ts'
import { repositoryMessage } from './hook-payload/payload.ts'
import { copyDefaultHooks } from './hook-store.ts'
import { printRepository } from './repo.shape.ts'
import { LEVELS } from './repo-level.ts'
import type { Repository } from './repo-store.ts'
import type { ForgeTools } from './route.ts'
import { printUser } from './user.shape.ts'

/** A repository that has come to be, or is gone, as the transaction commits. A new one has its default hooks by then. */
export async function announce(
  tx: Tx,
  { secrets }: Pick<ForgeTools, 'secrets'>,
  facts: { action: 'created' | 'deleted'; row: Repository; owner: Account; sender: Account; host: string },
): Promise<void> {
  const { action, row, owner, sender, host } = facts
  if (action === 'created') await copyDefaultHooks(tx, secrets, row.id)
  const message = repositoryMessage(action, {
    repository: printRepository(row, owner, { host, level: LEVELS.owner, known: false }),
    owner: printUser(owner, undefined, host),
    sender: printUser(sender, undefined, host),
  })
  await emitHook(tx, message, { repository: row.id, owner: owner.id })
}
