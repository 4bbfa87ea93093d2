import { User } from '../../forge/accounts/user.shape.ts'
import { VISIBILITIES } from '../../forge/accounts/visibility.ts'
import { newPassword } from '../../forge/auth/password-rules.ts'
import { queryChoice, queryTrimmed } from '../../forge/protocol/query.ts'
import { PasswordLink } from '../../forge/users/credentials.shape.ts'
import { adminMakePasswordLink } from '../../forge/users/credentials.ts'
import { adminCreateUser, adminSearchUsers } from '../../forge/users/users.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { choice, type Fields, field, hiddenFields, tick } from '../form.ts'
import { type Html, html, timeOf, withoutEmpty } from '../html.ts'
import { listQuery, listSection, orderOf, pageAt, rowOf, sortLinks } from '../list.ts'
import { fieldsOf } from '../operations/fields.ts'
import { perform, read, readPage } from '../operations/perform.ts'
import { outcomeOf, type Refusal } from '../operations/refusal.ts'
import { route } from '../route.ts'
import { unstored } from '../sign-in/sign-in.ts'
import type { Administrator } from './administrator.ts'
import { filterForm, visibilities } from './fields.ts'
import { adminPage } from './frame.ts'
import { adminForm, adminReply, leadTo } from './reply.ts'
import { passwordLinkPage } from './user-link.ts'

const orders = {
  'name asc': 'name',
  'created desc': 'newest',
  'created asc': 'oldest',
  'updated desc': 'last changed',
} as const

/** What a filter of the list selects; the API has a filter for each. */
const states = {
  '': 'All',
  is_admin: 'Administrators',
  is_prohibit_login: 'Sign-in prohibited',
  is_restricted: 'Restricted',
  is_2fa_enabled: 'With one-time codes',
  'is_active=false': 'Inactive',
  'type=bot': 'Bots',
} as const

export const getAdminUsersPage = route('GET /-/admin/users', {
  ...adminReply,
  summary: 'All users of the site with a search and filters, as a page',
  query: {
    ...listQuery,
    q: queryTrimmed,
    state: queryChoice(...Object.keys(states)),
    visibility: queryChoice(...VISIBILITIES),
    by: queryChoice(...Object.keys(orders)),
  },
  handler: async ({ caller, query, from: { host } }) => {
    const { q, state, visibility, by } = query
    const [name = '', value = 'true'] = state.split('=')
    const filter = withoutEmpty({ q, visibility, ...(name !== '' && { [name]: value }) })
    const input = { query: { ...filter, ...orderOf(by || 'name asc'), ...pageAt(query.page) } }
    const page = await readPage(caller, adminSearchUsers, User, input)
    const address = `${host}-/admin/users`
    const main = html`${filterForm(
      address,
      html`${field({ name: 'q', label: 'Name or address', value: q, isOptional: true })}
${choice({ name: 'state', label: 'State', value: state, options: states })}
${choice({ name: 'visibility', label: 'Seen by', value: visibility, options: { '': 'All', ...visibilities } })}${hiddenFields({ by: by || undefined })}`,
    )}
${sortLinks(address, withoutEmpty({ q, state, visibility }), by || 'name asc', orders)}
${listSection({
  address,
  selection: withoutEmpty({ q, state, visibility, by }),
  page,
  noun: ['user'],
  rowOf: (user) => userRow(host, user),
})}`
    const beside = html`<a class="button" href="${host}-/admin/new/user">Create a user</a>`
    const done = notices[query.done]
    return adminPage({ caller, title: 'Users', section: 'users', main, beside, done })
  },
})

const notices: Readonly<Record<string, string>> = { deleted: 'The user was deleted.' }

function userRow(host: string, user: User): Html {
  const badges = [
    user.type === 'Bot' && 'bot',
    user.is_admin && 'administrator',
    user.prohibit_login && 'may not sign in',
    user.restricted && 'restricted',
    !user.active && 'inactive',
    user.visibility !== 'public' && user.visibility,
  ].filter((word) => word !== false)
  const name = html`<a href="${host}-/admin/users/${user.login}">${user.login}</a> ${badges.map((word) => html`<span class="badge">${word}</span> `)}`
  const facts = html`${user.full_name === '' ? undefined : html`<bdi>${user.full_name}</bdi> · `}${user.email} · made ${timeOf(user.created)}`
  return rowOf(name, facts)
}

export const getAdminNewUserPage = route('GET /-/admin/new/user', {
  ...adminReply,
  summary: 'The form that creates a user',
  handler: ({ caller }) => newUserPage(caller, {}),
})

export const createUserByPage = route('POST /-/admin/new/user', {
  ...adminForm,
  summary: 'Create a user, with a password or with a link to choose one',
  also: [200, 422],
  handler: async ({ caller, body, tools }) => {
    const { username = '', password = '' } = body
    const draft = draftOf(body, password === '' ? newPassword(tools.passwordRules) : password)
    const created = await outcomeOf(perform(caller, adminCreateUser, { body: draft }), createBlame)
    if (!created.ok) return new ReplyWith(newUserPage(caller, body, created.fault), { status: 422 })
    if (password !== '') return leadTo(caller, `users/${username}?done=created`)
    const link = await read(caller, adminMakePasswordLink, PasswordLink, { params: { username } })
    return new ReplyWith(passwordLinkPage(caller, username, link), { status: 200, headers: unstored })
  },
})

/** The fields that a refusal is about. */
const createBlame = {
  password: /password/i,
  email: /e-?mail|address/i,
  username: /name|user/i,
  full_name: /full_name/,
  visibility: /visibility/i,
}

/** The form as the API takes it. Nobody knows a password that was made here, so that it has to be changed. */
function draftOf(body: Fields, password: string) {
  const { username = '', full_name = '', email = '', visibility = '' } = body
  const isMade = password !== body.password
  return {
    username,
    full_name,
    email,
    password,
    visibility,
    must_change_password: isMade || body.must_change_password === 'on',
    restricted: body.restricted === 'on',
    send_notify: body.send_notify === 'on',
  }
}

function newUserPage(caller: Administrator, values: Fields, refusal?: Refusal): string {
  const { from, tools } = caller.request
  const fieldOf = fieldsOf(values, refusal, 'username')
  const main = html`<form class="card admin-form" method="post" action="${from.host}-/admin/new/user">
${field({ ...fieldOf('username'), label: 'Name', hint: 'In addresses: letters and digits, with single - _ . between them' })}
${field({ ...fieldOf('full_name'), label: 'Full name', isOptional: true })}
${field({ ...fieldOf('email'), label: 'E-mail address', type: 'email' })}
${field({ ...fieldOf('password'), value: '', label: 'Password', type: 'password', autocomplete: 'new-password', isOptional: true, hint: 'Empty: you get a link with which the user chooses one.' })}
${tick({ name: 'must_change_password', label: 'It has to be changed first', isOn: values.must_change_password === 'on', hint: 'The sign-in asks for another one before anything else.' })}
${tools.sendsMail ? tick({ name: 'send_notify', label: 'Tell the user by mail', isOn: refusal === undefined || values.send_notify === 'on', hint: 'The mail says where to sign in and how to choose a password; it does not have the one that you enter.' }) : undefined}
${tick({ name: 'restricted', label: 'Restricted', isOn: values.restricted === 'on', hint: 'Sees only what it is a member or collaborator of.' })}
${choice({ name: 'visibility', label: 'Seen by', value: values.visibility ?? 'public', options: visibilities })}
<button>Create the user</button>
</form>`
  return adminPage({ caller, title: 'Create a user', section: 'users', main, refusal })
}
