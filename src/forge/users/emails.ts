import * as v from 'valibot'
import { mapPage, type Page } from '../../db/page.ts'
import type { Tx } from '../../db/sql.ts'
import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { found, notFound, unprocessable } from '../../http/route/problem.ts'
import { type Account, lockAccount } from '../accounts/account.ts'
import { nameUnknown } from '../accounts/names.ts'
import { accountTarget, record } from '../admin/audit-trail.ts'
import { type SignedIn, signedInFully, siteAdmin } from '../auth/access.ts'
import { queryTrimmed } from '../protocol/query.ts'
import { type ForgeContext, route } from '../route.ts'
import { CreateEmailOption, DeleteEmailOption, Email } from './email.shape.ts'
import {
  addressTakenMessage,
  type EmailAddress,
  invalidAddressMessage,
  parseAddress,
} from './email-address.ts'
import { addressesOf, type ListedAddress, pageOfAddresses, pageOfOwnAddresses } from './email-list.ts'
import { deleteAddresses, insertAddresses } from './email-store.ts'

export const adminGetAllEmails = route('GET /admin/emails', {
  summary: 'Addresses of all people, in their order',
  access: siteAdmin(),
  ...pagesOf(Email),
  handler: async ({ query, sql }) => printed(await pageOfAddresses(sql, '', query)),
})

export const adminSearchEmails = route('GET /admin/emails/search', {
  summary: 'Addresses of people that hold a text, or whose owner has it in the name or full name',
  access: siteAdmin(),
  ...pagesOf(Email),
  query: { q: queryTrimmed, ...pageQuery() },
  handler: async ({ query, sql }) => printed(await pageOfAddresses(sql, query.q, query)),
})

export const userListEmails = route('GET /user/emails', {
  summary: 'Addresses of the user who asks, the primary one first',
  access: signedInFully('user'),
  ...pagesOf(Email),
  handler: async ({ caller, query, sql }) => printed(await pageOfOwnAddresses(sql, caller.me.id, query)),
})

export const userAddEmail = route('POST /user/emails', {
  summary:
    'Add addresses to the user who asks, all of them or none; the answer lists all addresses of the user',
  access: signedInFully('user'),
  body: CreateEmailOption,
  fails: [404],
  returns: [201, v.array(Email)],
  handler: async (context) => addAddresses(context, context.body.emails),
})

export const userDeleteEmail = route('DELETE /user/emails', {
  summary: 'Delete addresses of the user who asks, all of them or none; the primary one stays',
  access: signedInFully('user'),
  body: DeleteEmailOption,
  fails: [404],
  returns: [204],
  handler: async (context) => removeAddresses(context, context.body.emails),
})

const printed = (page: Page<ListedAddress>) => mapPage(page, printAddress)

function printAddress({ address, is_activated, is_primary, account_id, owner }: ListedAddress): Email {
  return { email: address, verified: is_activated, primary: is_primary, user_id: account_id, username: owner }
}

type Context = ForgeContext<SignedIn>

/**
 * Adds addresses and returns all addresses of the user, in the order of the list. This server sends no mail, so an
 * address counts as verified, as it does in the original without mail.
 * @throws Problem 404 gone, 422 wrong or taken address
 */
async function addAddresses(context: Context, emails: readonly string[]): Promise<Email[]> {
  const wanted = new Map(emails.map(readAddress).map((address) => [address.key, address]))
  return context.begin(async (tx) => {
    const owner = await lockSelf(tx, context)
    const added = await insertAddresses(tx, owner, [...wanted.values()])
    const keys = new Set(added.map(({ key }) => key))
    for (const { key, address } of wanted.values())
      if (!keys.has(key)) throw unprocessable(addressTakenMessage(address))
    const addresses = [...wanted.values()].map(({ address }) => address)
    await recordChange(tx, context, owner, 'email.added', addresses)
    return (await addressesOf(tx, owner.id)).map(printAddress)
  })
}

/** @throws Problem 404 an address that the user does not have, 422 the primary one */
async function removeAddresses(context: Context, emails: readonly string[]): Promise<void> {
  if (emails.length === 0) return
  await context.begin(async (tx) => {
    const owner = await lockSelf(tx, context)
    const wanted = emails.map((email) => ({ email, key: keyOf(email) }))
    const deleted = new Set(
      await deleteAddresses(
        tx,
        owner.id,
        wanted.flatMap(({ key }) => key ?? []),
      ),
    )
    for (const { email, key } of wanted) {
      if (key !== undefined && deleted.has(key)) continue
      if (key !== undefined && key === keyOf(owner.email)) throw unprocessable(primaryAddressMessage(email))
      throw notFound(`email address does not exist [email: ${email}]`)
    }
    await recordChange(tx, context, owner, 'email.removed', [...deleted])
  })
}

const primaryAddressMessage = (email: string) => `the primary address cannot be deleted [email: ${email}]`

/** Locks the account: its current state decides whether its addresses are listed, and which one is primary. */
async function lockSelf(tx: Tx, { caller: { me } }: Context): Promise<Account> {
  return found(await lockAccount(tx, me.id), nameUnknown(me.name))
}

async function recordChange(
  tx: Tx,
  actor: Context,
  owner: Account,
  action: 'email.added' | 'email.removed',
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
