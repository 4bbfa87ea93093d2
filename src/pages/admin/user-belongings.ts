import { adminCreatePublicKey, adminDeleteUserPublicKey } from '../../forge/keys/keys.ts'
import { adminCreateRepo } from '../../forge/repo-lifecycle/repos.ts'
import { perform } from '../operations/perform.ts'
import { route } from '../route.ts'
import { accountForm, replyTo } from './reply.ts'
import { pageOfUser } from './user-page.ts'

/** What an administrator adds to a user, and takes away: SSH keys and repositories. */

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
      path: `users/${username}?done=keys`,
      blame: { title: /title/i, key: /key/i },
      again: (refusal) => pageOfUser(caller, { key: id === undefined ? body : undefined, refusal }),
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
      path: `users/${username}?done=repository`,
      blame: { name: /name|exist/i },
      again: (refusal) => pageOfUser(caller, { repository: body, refusal }),
    })
  },
})
