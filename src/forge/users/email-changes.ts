import type { Tx } from '../../db/sql.ts'
import { found, notFound, unprocessable } from '../../http/route/problem.ts'
import { insertMails } from '../../mail/mail-store.ts'
import { type Account, lockAccount, updateAccount } from '../accounts/account-store.ts'
import {
  addressTakenMessage,
  type EmailAddress,
  invalidAddressMessage,
  parseAddress,
} from '../accounts/email-address.ts'
import { nameUnknown } from '../accounts/names.ts'
import { accountTarget, record } from '../audit/audit-trail.ts'
import type { SignedIn } from '../auth/access.ts'
import type { ForgeContext, ForgeTools } from '../route.ts'
import { addressesOf, type ListedAddress } from './email-list-store.ts'
import { deleteAddresses, insertAddresses, movePrimary } from './email-store.ts'

type Context = Pick<ForgeContext<SignedIn>, 'begin' | 'caller' | 'from'>

/** With whether the server sends mail. */
type AddingContext = Context & { tools: Pick<ForgeTools, 'sendsMail'> }

/**
 * Adds addresses and returns all addresses of the user, in the order of the list. If the server sends mail, each is used
 * only after whoever reads its mail has confirmed it; otherwise it counts as verified, as in the original without mail.
 * @throws Problem 404 gone, 422 wrong or taken address
 */
export async function addAddresses(
  context: AddingContext,
  emails: readonly string[],
): Promise<ListedAddress[]> {
  const { sendsMail } = context.tools
  const addressByKey = new Map(emails.map(readAddress).map((address) => [address.key, address]))
  const addresses = [...addressByKey.values()]
  return context.begin(async (tx) => {
    const owner = await lockSelf(tx, context)
    const added = new Set(await insertAddresses(tx, owner, addresses, { is_activated: !sendsMail }))
    const taken = addresses.find(({ key }) => !added.has(key))
    if (taken) throw unprocessable(addressTakenMessage(taken.address))
    const mails = addresses.map(({ address: recipient }) => ({ recipient, account: owner.id, about: '' }))
    if (sendsMail) await insertMails(tx, 'address_added', mails, tx.now)
    await tx.wake()
    await recordChange(
      tx,
      context,
      owner,
      'email.added',
      addresses.map(({ address }) => address),
    )
    return addressesOf(tx, owner.id)
  })
}

/** @throws Problem 404 an address that the user does not have, 422 the primary one */
export async function removeAddresses(context: Context, emails: readonly string[]): Promise<void> {
  if (emails.length === 0) return
  await context.begin(async (tx) => {
    const owner = await lockSelf(tx, context)
    const keys = emails.flatMap((email) => keyOf(email) ?? [])
    const deleted = new Set(await deleteAddresses(tx, owner.id, keys))
    for (const email of emails) {
      const key = keyOf(email)
      if (key !== undefined && deleted.has(key)) continue
      if (key !== undefined && key === keyOf(owner.email)) throw unprocessable(primaryAddressMessage(email))
      throw notFound(unknownAddressMessage(email))
    }
    await recordChange(tx, context, owner, 'email.removed', [...deleted])
  })
}

/** Makes an address of the user the primary one. @throws Problem 404 an address that the user does not have */
export async function makePrimary(context: Context, email: string): Promise<void> {
  await context.begin(async (tx) => {
    const owner = await lockSelf(tx, context)
    const key = keyOf(email)
    const address = key === undefined ? undefined : await movePrimary(tx, owner.id, key)
    if (address === undefined) throw notFound(unknownAddressMessage(email))
    if (address === owner.email) return
    await updateAccount(tx, owner.id, { email: address })
    await recordChange(tx, context, owner, 'email.made_primary', [address])
  })
}

const unknownAddressMessage = (email: string) => `email address does not exist [email: ${email}]`
const primaryAddressMessage = (email: string) => `the primary address cannot be deleted [email: ${email}]`

/** Locks the account: its current state decides whether its addresses are listed, and which one is primary. @throws Problem 404 */
async function lockSelf(tx: Tx, { caller: { me } }: Context): Promise<Account> {
  return found(await lockAccount(tx, me.id), nameUnknown(me.name))
}

async function recordChange(
  tx: Tx,
  actor: Context,
  owner: Account,
  action: 'email.added' | 'email.removed' | 'email.made_primary',
  emails: readonly string[],
): Promise<void> {
  await record(tx, actor, { action, target: accountTarget(owner), details: { emails } })
}

/** @throws Problem 422 */
function readAddress(email: string): EmailAddress {
  const parsed = parseAddress(email)
  if (!parsed.ok) throw unprocessable(invalidAddressMessage(parsed.fault))
  return parsed.value
}

/** Undefined for a text that cannot be an address. */
function keyOf(email: string): string | undefined {
  const parsed = parseAddress(email)
  return parsed.ok ? parsed.value.key : undefined
}
