import type { Tx } from '../../db/sql.ts'
import type { Account } from '../accounts/account.ts'
import { printOrganization } from '../orgs/organization.shape.ts'
import { printUser } from '../users/user.shape.ts'
import { emitHook } from '../webhooks/events.ts'
import { packageMessage } from '../webhooks/payload/payload.ts'
import { printPackage } from './package.shape.ts'
import type { PackageRow } from './package-store.ts'

/** Queues the webhook event of a created or deleted version, if the transaction commits. */
export async function emitPackageEvent(
  tx: Tx,
  facts: {
    action: 'created' | 'deleted'
    row: PackageRow
    owner: Account
    creator: Account | undefined
    sender: Account
    host: string
  },
): Promise<void> {
  const { action, row, owner, creator, sender, host } = facts
  const message = packageMessage(action, {
    package: printPackage(row, { owner, creator }, { viewer: undefined, host }),
    organization: owner.kind === 'organization' ? printOrganization(owner, host) : null,
    sender: printUser(sender, undefined, host),
  })
  await emitHook(tx, message, { repository: null, owner: owner.id })
}
