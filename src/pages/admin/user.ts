import { queryText } from '../../forge/protocol/query.ts'
import { adminAddUserBadges, adminDeleteUserBadges } from '../../forge/users/badges.ts'
import { adminEditUser, adminRenameUser } from '../../forge/users/users.ts'
import type { Fields } from '../form.ts'
import { perform } from '../operations/perform.ts'
import { route } from '../route.ts'
import type { AdministratorOn } from './administrator.ts'
import { accountForm, accountReply, replyTo } from './reply.ts'
import { pageOfUser } from './user-page.ts'

export const getAdminUserPage = route('GET /-/admin/users/{username}', {
  ...accountReply,
  summary: 'A user, and the forms that change it',
  query: { done: queryText },
  fails: [404],
  handler: ({ caller, query }) => pageOfUser(caller, { done: notices[query.done] }),
})

export const getAdminUserBadgesPage = route('GET /-/admin/users/{username}/badges', {
  ...accountReply,
  summary: 'The badges of a user, to give and take them',
  query: { done: queryText },
  fails: [404],
  handler: ({ caller, query }) => pageOfUser(caller, { tab: 'badges', done: notices[query.done] }),
})

export const getAdminUserNamePage = route('GET /-/admin/users/{username}/rename', {
  ...accountReply,
  summary: 'The form that gives a user another name',
  fails: [404],
  handler: ({ caller }) => pageOfUser(caller, { tab: 'rename' }),
})

const notices: Readonly<Record<string, string>> = {
  created: 'The user was created.',
  edited: 'The user was changed.',
  renamed: 'The user has the new name. Addresses with the old one lead on.',
  badged: 'The badges were changed.',
  codes: 'The user signs in without one-time codes now.',
}

export const editUserByPage = route('POST /-/admin/users/{username}/edit', {
  ...accountForm,
  summary: 'Change a user',
  fails: [404],
  handler: ({ caller, body }) =>
    replyTo(caller, perform(caller, adminEditUser, { params: named(caller), body: editOf(body) }), {
      path: `${pathOf(caller)}?done=edited`,
      blame: {
        password: /password/i,
        email: /e-?mail|address/i,
        website: /website/i,
        full_name: /full_name/i,
        location: /location/i,
        description: /description/i,
        admin: /last admin/,
        max_repo_creation: /max_repo_creation/,
      },
      again: (refusal) => pageOfUser(caller, { values: body, refusal }),
    }),
})

/** The form as the API takes it: a box that is not ticked is not sent. */
function editOf(body: Fields) {
  const { full_name, email, website, location, description, password = '', visibility = '' } = body
  const limit = body.max_repo_creation?.trim() ?? ''
  return {
    full_name,
    ...(email !== undefined && email !== '' && { email }),
    website,
    location,
    description,
    password,
    visibility,
    max_repo_creation: limit === '' ? -1 : Number(limit),
    active: body.active === 'on',
    admin: body.admin === 'on',
    prohibit_login: body.prohibit_login === 'on',
    restricted: body.restricted === 'on',
    allow_create_organization: body.allow_create_organization === 'on',
    must_change_password: body.must_change_password === 'on',
  }
}

export const renameUserByPage = route('POST /-/admin/users/{username}/rename', {
  ...accountForm,
  summary: 'Give a user another name',
  fails: [404],
  handler: ({ caller, body }) => {
    const { new_username = '' } = body
    return replyTo(
      caller,
      perform(caller, adminRenameUser, { params: named(caller), body: { new_username } }),
      {
        path: `users/${new_username}?done=renamed`,
        blame: 'new_username',
        again: (refusal) => pageOfUser(caller, { tab: 'rename', values: body, refusal }),
      },
    )
  },
})

export const changeBadgesByPage = route('POST /-/admin/users/{username}/badges', {
  ...accountForm,
  summary: 'Give a user a badge, or take one away',
  fails: [404],
  handler: ({ caller, body: fields }) => {
    const { give, take = '' } = fields
    const operation = give === undefined ? adminDeleteUserBadges : adminAddUserBadges
    const body = { badge_slugs: [give ?? take] }
    return replyTo(caller, perform(caller, operation, { params: named(caller), body }), {
      path: `${pathOf(caller)}/badges?done=badged`,
      blame: 'give',
      again: (refusal) => pageOfUser(caller, { tab: 'badges', values: fields, refusal }),
    })
  },
})

const named = ({ subject }: AdministratorOn) => ({ username: subject.name })
const pathOf = ({ subject }: AdministratorOn) => `users/${subject.name}`
