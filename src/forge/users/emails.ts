import * as v from 'valibot'
import { mapPage, type Page } from '../../db/page.ts'
import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { signedInFully, siteAdmin } from '../auth/access.ts'
import { queryTrimmed } from '../protocol/query.ts'
import { route } from '../route.ts'
import { Email } from './email.shape.ts'
import { addAddresses, removeAddresses } from './email-changes.ts'
import { type ListedAddress, pageOfAddresses, pageOfOwnAddresses } from './email-list-store.ts'
import { CreateEmailOption, DeleteEmailOption } from './user.option.ts'

export const adminGetAllEmails = route('GET /admin/emails', {
  summary: 'E-mail addresses of all users',
  access: siteAdmin(),
  ...pagesOf(Email),
  handler: async ({ query, sql }) => printed(await pageOfAddresses(sql, '', query)),
})

export const adminSearchEmails = route('GET /admin/emails/search', {
  summary: 'E-mail addresses that contain a text, or whose owner has it in the name or full name',
  access: siteAdmin(),
  ...pagesOf(Email),
  query: { q: queryTrimmed, ...pageQuery() },
  handler: async ({ query, sql }) => printed(await pageOfAddresses(sql, query.q, query)),
})

export const userListEmails = route('GET /user/emails', {
  summary: 'Addresses of the caller, the primary one first',
  access: signedInFully('user'),
  ...pagesOf(Email),
  handler: async ({ caller, query, sql }) => printed(await pageOfOwnAddresses(sql, caller.me.id, query)),
})

export const userAddEmail = route('POST /user/emails', {
  summary: 'Add addresses to the caller, all of them or none; the answer lists all addresses of the user',
  access: signedInFully('user'),
  body: CreateEmailOption,
  fails: [404],
  returns: json(201, v.array(Email)),
  handler: async (context) => (await addAddresses(context, context.body.emails)).map(printAddress),
})

export const userDeleteEmail = route('DELETE /user/emails', {
  summary: 'Delete addresses of the caller, all of them or none; the primary one stays',
  access: signedInFully('user'),
  body: DeleteEmailOption,
  fails: [404],
  returns: noBody(204),
  handler: async (context) => removeAddresses(context, context.body.emails),
})

const printed = (page: Page<ListedAddress>) => mapPage(page, printAddress)

function printAddress({ address, is_activated, is_primary, account_id, owner }: ListedAddress): Email {
  return { email: address, verified: is_activated, primary: is_primary, user_id: account_id, username: owner }
}
