import { pagesOf } from '../../http/route/page.ts'
import { notFound } from '../../http/route/problem.ts'
import { noBody } from '../../http/route/sends.ts'
import { printUsers, User } from '../accounts/user.shape.ts'
import { signedIn } from '../auth/access.ts'
import { signedInUserSeen } from '../auth/user-access.ts'
import { repoSeen, signedInRepoSeen } from '../repos/access.ts'
import { listRepositories } from '../repos/listed-repositories.ts'
import { Repository } from '../repos/repo.shape.ts'
import { route } from '../route.ts'
import { deleteStar, insertStar, isStarred, pageOfStargazers } from './star-store.ts'

export const userCurrentListStarred = route('GET /user/starred', {
  summary: 'Repositories that the caller has starred and may read',
  access: signedIn('user', 'repository'),
  ...pagesOf(Repository),
  handler: (context) => listRepositories(context, { among: { starredBy: context.caller.me.id } }, 'id asc'),
})

export const userListStarred = route('GET /users/{username}/starred', {
  summary: 'Repositories that a user has starred: other callers see only those that are not private',
  access: signedInUserSeen('user'),
  ...pagesOf(Repository),
  handler: (context) => {
    const { me, subject } = context.caller
    const shown = me.id === subject.id ? {} : { is_private: false }
    return listRepositories(context, { among: { starredBy: subject.id }, ...shown }, 'id asc')
  },
})

export const userCurrentCheckStarring = route('GET /user/starred/{owner}/{repo}', {
  summary: 'Whether the caller has starred a repository: 204, else 404',
  access: signedInRepoSeen('user'),
  fails: [404],
  returns: noBody(204),
  handler: async ({ caller, sql }) => {
    if (!(await isStarred(sql, caller.repo.id, caller.me.id))) throw notFound()
  },
})

export const userCurrentPutStar = route('PUT /user/starred/{owner}/{repo}', {
  summary: 'Star a repository; 204 also if the caller has starred it',
  access: signedInRepoSeen('user'),
  returns: noBody(204),
  handler: ({ caller, begin }) => begin((tx) => insertStar(tx, caller.repo.id, caller.me.id)),
})

export const userCurrentDeleteStar = route('DELETE /user/starred/{owner}/{repo}', {
  summary: 'Unstar a repository; 204 also if the caller has not starred it',
  access: signedInRepoSeen('user'),
  returns: noBody(204),
  handler: ({ caller, begin }) => begin((tx) => deleteStar(tx, caller.repo.id, caller.me.id)),
})

export const repoListStargazers = route('GET /repos/{owner}/{repo}/stargazers', {
  summary: 'Users who have starred a repository',
  access: repoSeen(),
  ...pagesOf(User),
  handler: async (context) =>
    printUsers(await pageOfStargazers(context.sql, context.caller.repo.id, context.query), context),
})
