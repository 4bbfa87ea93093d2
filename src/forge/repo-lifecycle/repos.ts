import type { Sql } from '../../db/sql.ts'
import { pagesOf } from '../../http/route/page.ts'
import { found, Problem, unprocessable } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { type Account, accountById } from '../accounts/account-store.ts'
import { signedIn, siteAdminOn } from '../auth/access.ts'
import { orgSeen } from '../auth/org-access.ts'
import { userSeen } from '../auth/user-access.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { numberParam } from '../protocol/query.ts'
import {
  type OnRepository,
  orgRepoCreator,
  repoAdmin,
  repoByIdSeen,
  repoOwner,
  repoSeen,
} from '../repos/access.ts'
import { listRepositories } from '../repos/listed-repositories.ts'
import { printedParents } from '../repos/parents.ts'
import { CreateRepoOption, EditRepoOption } from '../repos/repo.option.ts'
import { printRepository, Repository } from '../repos/repo.shape.ts'
import { repositoryById, type Repository as Stored } from '../repos/repo-store.ts'
import { route } from '../route.ts'
import { createRepository } from './creation/creation.ts'
import { initialContent } from './creation/initial-content.ts'
import { deleteRepository, editRepository } from './edit.ts'

const created = {
  body: CreateRepoOption,
  returns: json(201, Repository),
  fails: [400, 403, 409, 507],
  runsGit: true,
} as const

export const adminCreateRepo = route('POST /admin/users/{username}/repos', {
  ...created,
  summary: 'Create a repository that a user or an organization owns',
  access: siteAdminOn(),
  handler: (context) => createFor(context, context.caller.subject),
})

export const createCurrentUserRepo = route('POST /user/repos', {
  ...created,
  summary: 'Create a repository of the caller',
  access: signedIn('user', 'repository'),
  handler: (context) => createFor(context, context.caller.me),
})

export const createOrgRepo = route('POST /orgs/{org}/repos', {
  ...created,
  summary: 'Create a repository that an organization owns',
  access: orgRepoCreator(),
  handler: (context) => createFor(context, context.caller.subject),
})

export const createOrgRepoDeprecated = route('POST /org/{org}/repos', {
  ...created,
  summary: 'Create a repository that an organization owns; use /orgs/{org}/repos',
  access: orgRepoCreator(),
  fails: [507],
  deprecated: true,
  handler: (context) => createFor(context, context.caller.subject).catch(refuseAsUnprocessable),
})

/** For this deprecated route the specification only lists 422 for invalid input, also for a name that is taken. */
function refuseAsUnprocessable(error: unknown): never {
  const isInvalidInput = error instanceof Problem && (error.status === 400 || error.status === 409)
  throw isInvalidInput ? unprocessable(error.message) : error
}

export const repoGet = route('GET /repos/{owner}/{repo}', {
  summary: 'A repository',
  access: repoSeen(),
  returns: json(200, Repository),
  shared: 'until written',
  handler: ({ caller, sql, from }) => readAndPrint(sql, caller, from.host),
})

export const repoGetByID = route('GET /repositories/{id}', {
  summary: 'A repository by its id',
  access: repoByIdSeen(),
  params: { id: numberParam },
  returns: json(200, Repository),
  shared: 'until written',
  handler: ({ caller, sql, from }) => readAndPrint(sql, caller, from.host),
})

export const repoEdit = route('PATCH /repos/{owner}/{repo}', {
  summary: 'Change a repository; omitted members keep their values',
  access: repoAdmin(),
  body: EditRepoOption,
  fails: [404, 409, 507],
  returns: json(200, Repository),
  handler: async (context) =>
    printed(context.sql, await editRepository(context), context.caller, context.from.host),
})

export const repoDelete = route('DELETE /repos/{owner}/{repo}', {
  summary: 'Delete a repository and its directory',
  access: repoOwner(),
  fails: [404],
  returns: noBody(204),
  handler: deleteRepository,
})

export const orgListRepos = route('GET /orgs/{org}/repos', {
  summary: 'Repositories of an organization that the caller may see, last changed first',
  access: orgSeen(),
  ...pagesOf(Repository),
  handler: (context) => listRepositories(context, { owner: context.caller.subject.id }, 'updated desc'),
})

export const userListRepos = route('GET /users/{username}/repos', {
  summary: 'Repositories of a user that the caller may see, last changed first',
  access: userSeen('user', 'repository'),
  ...pagesOf(Repository),
  handler: (context) => listRepositories(context, { owner: context.caller.subject.id }, 'updated desc'),
})

export const userCurrentListRepos = route('GET /user/repos', {
  summary: 'Repositories that the caller owns or collaborates on, by name',
  access: signedIn('user', 'repository'),
  ...pagesOf(Repository),
  handler: (context) => listRepositories(context, { among: { of: context.caller.me.id } }, 'alpha asc'),
})

/** Creates a repository and prints it as its owner sees it. @throws Problem as `createRepository` */
async function createFor(context: Parameters<typeof initialContent>[0], owner: Account): Promise<Repository> {
  const view = { host: context.from.host, level: LEVELS.owner, known: true }
  return printRepository(await createRepository(context, initialContent(context, owner)), owner, view)
}

/**
 * The current state of a repository. Also reads its owner again: `caller` has the owner as read for one of the requests that
 * share the answer.
 */
async function readAndPrint(sql: Sql, caller: OnRepository, host: string): Promise<Repository> {
  const row = found(await repositoryById(sql, caller.repo.id))
  const subject = found(await accountById(sql, row.owner_id))
  return printed(sql, row, { ...caller, subject }, host)
}

async function printed(sql: Sql, row: Stored, caller: OnRepository, host: string): Promise<Repository> {
  const { repo, subject, me } = caller
  const parent = (await printedParents(sql, caller, { rows: [row], host })).get(row.parent_id)
  return printRepository(row, subject, { host, level: repo.level, known: me !== undefined, parent })
}
