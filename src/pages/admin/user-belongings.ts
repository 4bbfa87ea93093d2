import { adminCreatePublicKey, adminDeleteUserPublicKey } from '../../forge/keys/keys.ts'
import { adminCreateRepo } from '../../forge/repos/repos.ts'
import { route } from '../route.ts'
import { perform } from './operation.ts'
import { refusalOf } from './refusal.ts'
import { accountForm, outcomeOf } from './reply.ts'
import { pageOfUser } from './user-reading.ts'

/** What an administrator adds to a user, and takes away: SSH keys and repositories. */

export const changeKeysByPage = route('POST /-/admin/users/{username}/keys', {
  ...accountForm,
  summary: 'Add an SSH key to a user, or delete one',
  fails: [404],
  handler: async ({ caller, body }) => {
    const username = caller.subject.name
    const { title = '', key = '', delete: id } = body
    const work =
      id === undefined
        ? perform(caller, adminCreatePublicKey, { params: { username }, body: { title, key: key.trim() } })
        : perform(caller, adminDeleteUserPublicKey, { params: { username, id } })
    const refusal = await refusalOf(work, { title: /title/i, key: /key/i })
    return outcomeOf(caller, refusal, `users/${username}?done=keys`, (refused) =>
      pageOfUser(caller, { key: id === undefined ? body : undefined, refusal: refused }),
    )
  },
})

export const createRepositoryByPage = route('POST /-/admin/users/{username}/repositories', {
  ...accountForm,
  summary: 'Create a repository of a user',
  fails: [404],
  handler: async ({ caller, body }) => {
    const username = caller.subject.name
    const draft = { name: body.name ?? '', private: body.private === 'on' }
    const work = perform(caller, adminCreateRepo, { params: { username }, body: draft })
    const refusal = await refusalOf(work, { name: /name|exist/i })
    return outcomeOf(caller, refusal, `users/${username}?done=repository`, (refused) =>
      pageOfUser(caller, { repository: body, refusal: refused }),
    )
  },
})
