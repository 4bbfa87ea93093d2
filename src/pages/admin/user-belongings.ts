import { adminCreatePublicKey, adminDeleteUserPublicKey } from '../../forge/keys/keys.ts'
import { queryText } from '../../forge/protocol/query.ts'
import { adminCreateRepo } from '../../forge/repo-lifecycle/repos.ts'
import { perform } from '../operations/perform.ts'
import { route } from '../route.ts'
import { accountForm, accountReply, replyTo } from './reply.ts'
import { pageOfUser } from './user-page.ts'

/** What an administrator adds to a user, and takes away: SSH keys and repositories. */

export const getAdminUserKeysPage = route('GET /-/admin/users/{username}/keys', {
  ...accountReply,
  summary: 'The SSH keys of a user, to add and delete some',
  query: { done: queryText },
  fails: [404],
  handler: ({ caller, query }) =>
    pageOfUser(caller, {
      tab: 'keys',
      done: query.done === 'keys' ? 'The SSH keys were changed.' : undefined,
    }),
})

export const getAdminUserRepositoriesPage = route('GET /-/admin/users/{username}/repositories', {
  ...accountReply,
  summary: 'The form that creates a repository of a user',
  query: { done: queryText },
  fails: [404],
  handler: ({ caller, query }) =>
    pageOfUser(caller, {
      tab: 'repositories',
      done: query.done === 'created' ? 'The repository was created.' : undefined,
    }),
})

export const changeKeysByPage = route('POST /-/admin/users/{username}/keys', {
  ...accountForm,
  summary: 'Add an SSH key to a user, or delete one',
  fails: [404],
  handler: ({ caller, body }) => {
    const username = caller.subject.name
    const { title = '', key = '', delete: id } = body
    const work =
      id === undefined
        ? perform(caller, adminCreatePublicKey, { params: { username }, body: { title, key: key.trim() } })
        : perform(caller, adminDeleteUserPublicKey, { params: { username, id } })
    return replyTo(caller, work, {
      path: `users/${username}/keys?done=keys`,
      blame: { title: /title/i, key: /key/i },
      again: (refusal) =>
        pageOfUser(caller, { tab: 'keys', values: id === undefined ? body : undefined, refusal }),
    })
  },
})

export const createRepositoryByPage = route('POST /-/admin/users/{username}/repositories', {
  ...accountForm,
  summary: 'Create a repository of a user',
  fails: [404],
  handler: ({ caller, body }) => {
    const username = caller.subject.name
    const draft = { name: body.name ?? '', private: body.private === 'on' }
    return replyTo(caller, perform(caller, adminCreateRepo, { params: { username }, body: draft }), {
      path: `users/${username}/repositories?done=created`,
      blame: { name: /name|exist/i },
      again: (refusal) => pageOfUser(caller, { tab: 'repositories', values: body, refusal }),
    })
  },
})
