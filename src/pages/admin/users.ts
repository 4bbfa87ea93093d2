import { User } from '../../forge/accounts/user.shape.ts'
import { VISIBILITIES } from '../../forge/accounts/visibility.ts'
import { queryTrimmed, queryWord } from '../../forge/protocol/query.ts'
import { adminCreateUser, adminSearchUsers } from '../../forge/users/users.ts'
import { choice, type Fields, field, hiddenFields, tick } from '../form.ts'
import { type Html, html, timeOf, withoutEmpty } from '../html.ts'
import { route } from '../route.ts'
import { fieldsOf, filterForm, visibilities } from './fields.ts'
import { adminPage } from './frame.ts'
import { listQuery, listSection, orderOf, pageAt, rowOf, sortLinks } from './list.ts'
import { type Administrator, perform, readPage } from './operation.ts'
import type { Refusal } from './refusal.ts'
import { adminForm, adminReply, replyTo } from './reply.ts'

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
} as const

export const getAdminUsersPage = route('GET /-/admin/users', {
  ...adminReply,
  summary: 'All users of the site with a search and filters, as a page',
  query: {
    ...listQuery,
    q: queryTrimmed,
    state: queryWord(...Object.keys(states)),
    visibility: queryWord(...VISIBILITIES),
    by: queryWord(...Object.keys(orders)),
  },
  fails: [422],
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
  empty: 'Nobody is like that.',
})}`
    const beside = html`<a class="button" href="${host}-/admin/new/user">Create a user</a>`
    const done = notices[query.done]
    return adminPage({ caller, title: 'Users', section: 'users', main, beside, done })
  },
})

const notices: Readonly<Record<string, string>> = { deleted: 'The user was deleted.' }

function userRow(host: string, user: User): Html {
  const badges = [
    user.is_admin && 'administrator',
    user.prohibit_login && 'may not sign in',
    user.restricted && 'restricted',
    !user.active && 'inactive',
    user.visibility !== 'public' && user.visibility,
  ].filter((word) => word !== false)
  const name = html`<a href="${host}-/admin/users/${user.login}">${user.login}</a> ${badges.map((word) => html`<span class="badge">${word}</span> `)}`
  const facts = html`${user.full_name === '' ? undefined : html`<bdi>${user.full_name}</bdi> · `}${user.email} · since ${timeOf(user.created)}`
  return rowOf(name, facts)
}

export const getAdminNewUserPage = route('GET /-/admin/new/user', {
  ...adminReply,
  summary: 'The form that creates a user',
  handler: ({ caller }) => newUserPage(caller, {}),
})

export const createUserByPage = route('POST /-/admin/new/user', {
  ...adminForm,
  summary: 'Create a user, who may then sign in',
  handler: ({ caller, body }) => {
    const { username = '', full_name = '', email = '', password = '', visibility = '' } = body
    const draft = {
      username,
      full_name,
      email,
      password,
      visibility,
      must_change_password: body.must_change_password === 'on',
      restricted: body.restricted === 'on',
    }
    return replyTo(caller, perform(caller, adminCreateUser, { body: draft }), {
      path: `users/${username}?done=created`,
      blame: {
        password: /password/i,
        email: /e-?mail|address/i,
        username: /name|user/i,
        full_name: /full_name/,
        visibility: /visibility/i,
      },
      again: (refusal) => newUserPage(caller, body, refusal),
    })
  },
})

function newUserPage(caller: Administrator, values: Fields, refusal?: Refusal): string {
  const { host } = caller.request.from
  const fieldOf = fieldsOf(values, refusal, 'username')
  const main = html`<form class="card admin-form" method="post" action="${host}-/admin/new/user">
${field({ ...fieldOf('username'), label: 'Name', hint: 'In addresses: letters and digits, with single - _ . between them' })}
${field({ ...fieldOf('full_name'), label: 'Full name', isOptional: true })}
${field({ ...fieldOf('email'), label: 'E-mail address', type: 'email' })}
${field({ ...fieldOf('password'), value: '', label: 'Password', type: 'password', autocomplete: 'new-password' })}
${tick({ name: 'must_change_password', label: 'It has to be changed first', isOn: values.must_change_password === 'on', hint: 'The user can do nothing before an administrator sets another one.' })}
${tick({ name: 'restricted', label: 'Restricted', isOn: values.restricted === 'on', hint: 'Sees only what it is a member or collaborator of.' })}
${choice({ name: 'visibility', label: 'Seen by', value: values.visibility ?? 'public', options: visibilities })}
<button>Create the user</button>
</form>`
  return adminPage({ caller, title: 'Create a user', section: 'users', main, refusal })
}
