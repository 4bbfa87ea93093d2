import { emitEvents } from '../../background/domain-events.ts'
import type { Tx } from '../../db/sql.ts'
import type { Account } from '../accounts/account-store.ts'
import { printUser } from '../accounts/user.shape.ts'
import { printOrganization } from '../orgs/organization.shape.ts'
import { printPackage } from './package.shape.ts'
import type { PackageRow } from './package-store.ts'

/** Queues the event of a created or deleted version, if the transaction commits. */
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
  await emitEvents(tx, [
    {
      kind: 'package.changed',
      location: { repository: null, owner: owner.id },
      action,
      package: printPackage(row, { owner, creator }, { viewer: undefined, host }),
      organization: owner.kind === 'organization' ? printOrganization(owner, host) : null,
      sender: printUser(sender, undefined, host),
    },
  ])
}
