import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { json, noBody, searched } from '../../http/route/sends.ts'
import { described } from '../../http/route/values.ts'
import type { Account } from '../accounts/account-store.ts'
import { printUser, printUsers, User, UserSearch } from '../accounts/user.shape.ts'
import { pageOfUsers, USER_SORTS } from '../accounts/user-list-store.ts'
import { VISIBILITIES } from '../accounts/visibility.ts'
import { everyone, signedIn, siteAdmin, siteAdminOn } from '../auth/access.ts'
import type { Caller } from '../auth/caller.ts'
import { userSeen } from '../auth/user-access.ts'
import { usersListedTo } from '../auth/user-visibility.ts'
import { queryFilter, queryFlag, queryInteger, queryTrimmed, queryWord } from '../protocol/query.ts'
import { ORDERS, sortingIn } from '../protocol/sorting.ts'
import { type ForgeContext, route } from '../route.ts'
import { createUser } from './creation.ts'
import { editUser } from './edit.ts'
import { removeUser } from './removal.ts'
import { renameUser } from './rename.ts'
import { CreateUserOption, EditUserOption, RenameUserOption } from './user.option.ts'

export const userGetCurrent = route('GET /user', {
  summary: 'The caller',
  access: signedIn('user'),
  returns: json(200, User),
  handler: (context) => printedFor(context, context.caller.me),
})

export const userGet = route('GET /users/{username}', {
  summary: 'A user',
  access: userSeen('user'),
  returns: json(200, User),
  handler: (context) => printedFor(context, context.caller.subject),
})

export const userSearch = route('GET /users/search', {
  summary: 'Users whose name, full name or address contains a text, by name',
  access: everyone('user'),
  query: { q: queryTrimmed, uid: queryInteger, ...pageQuery() },
  returns: searched(UserSearch),
  shared: 'until written',
  handler: async (context) => {
    const { query } = context
    const filter = { q: query.q, uid: query.uid, ...usersListedTo(context.caller) }
    return printUsers(await pageOfUsers(context.sql, filter, query), context)
  },
})

export const adminSearchUsers = route('GET /admin/users', {
  summary: 'All users, filtered and sorted: people, or with `type=bot` bots',
  access: siteAdmin(),
  ...pagesOf(User),
  query: {
    type: described(queryWord('user', 'bot'), 'Whether people or bots are listed; absent: people'),
    source_id: queryInteger,
    login_name: queryTrimmed,
    ...pageQuery(),
    sort: queryWord(...USER_SORTS),
    order: queryWord(...ORDERS),
    q: queryTrimmed,
    visibility: queryWord(...VISIBILITIES),
    is_active: queryFilter,
    is_admin: queryFilter,
    is_restricted: queryFilter,
    is_2fa_enabled: queryFilter,
    is_prohibit_login: queryFilter,
  },
  fails: [422],
  handler: async (context) => {
    const { query, sql } = context
    const { sort, order } = sortingIn(query) ?? {}
    const filter = { ...query, visibility: query.visibility || undefined, areBots: query.type === 'bot' }
    return printUsers(await pageOfUsers(sql, filter, query, sort, order), context)
  },
})

export const adminCreateUser = route('POST /admin/users', {
  summary: 'Create an active user with a verified address',
  access: siteAdmin(),
  body: CreateUserOption,
  fails: [400, 409],
  returns: json(201, User),
  handler: async (context) => printedFor(context, await createUser(context)),
})

export const adminEditUser = route('PATCH /admin/users/{username}', {
  summary: 'Change a user; omitted members keep their values',
  access: siteAdminOn(),
  body: EditUserOption,
  fails: [400, 409],
  returns: json(200, User),
  handler: async (context) => printedFor(context, await editUser(context)),
})

export const adminDeleteUser = route('DELETE /admin/users/{username}', {
  summary: 'Delete a user; with `purge`, also what prevents the deletion',
  access: siteAdminOn(),
  query: { purge: queryFlag },
  fails: [422],
  returns: noBody(204),
  handler: removeUser,
})

export const adminRenameUser = route('POST /admin/users/{username}/rename', {
  summary: 'Rename a user; requests with the old name are redirected',
  access: siteAdminOn(),
  body: RenameUserOption,
  returns: noBody(204),
  handler: renameUser,
})

const printedFor = ({ caller, from }: ForgeContext<Pick<Caller, 'me'>>, user: Account): User =>
  printUser(user, caller.me, from.host)
