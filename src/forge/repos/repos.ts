import * as v from 'valibot'
import { mapPage, type Page, type Paging } from '../../db/page.ts'
import type { Sql } from '../../db/sql.ts'
import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { found, Problem, unprocessable } from '../../http/route/problem.ts'
import type { Completion } from '../../http/route/results.ts'
import { type Account, accountById } from '../accounts/account.ts'
import { everyone, signedIn, siteAdminOn } from '../auth/access.ts'
import type { Caller } from '../auth/caller.ts'
import { orgSeen } from '../orgs/access.ts'
import {
  numberParam,
  queryFilter,
  queryFlag,
  queryInteger,
  queryTrimmed,
  queryWord,
} from '../protocol/query.ts'
import { type ForgeContext, route } from '../route.ts'
import { userSeen } from '../users/access.ts'
import { type OnRepository, orgRepoCreator, repoAdmin, repoByIdSeen, repoOwner, repoSeen } from './access.ts'
import { LEVELS } from './access-level.ts'
import { createRepository } from './creation.ts'
import { deleteRepository, editRepository } from './edit.ts'
import {
  type Listed,
  pageOfRepositories,
  REPOSITORY_SORTS,
  type RepositoryFilter,
  type RepositoryOrder,
  sortingOf,
} from './list.ts'
import { CreateRepoOption, EditRepoOption } from './repo.option.ts'
import { printRepository, Repository } from './repo.shape.ts'
import { repositoryById, type Repository as Stored } from './repo-store.ts'
import { readerOf } from './visibility.ts'

const created = {
  body: CreateRepoOption,
  returns: [201, Repository],
  fails: [400, 403, 409, 507],
  reserves: true,
} as const

const createOfUser = route('POST /admin/users/{username}/repos', {
  operationId: 'adminCreateRepo',
  ...created,
  summary: 'Create a repository that a user or an organization owns',
  access: siteAdminOn(),
  handler: (context) => createFor(context, context.caller.subject),
})

const createMine = route('POST /user/repos', {
  operationId: 'createCurrentUserRepo',
  ...created,
  summary: 'Create a repository of one’s own',
  access: signedIn('user', 'repository'),
  handler: (context) => createFor(context, context.caller.me),
})

const createOfOrg = route('POST /orgs/{org}/repos', {
  operationId: 'createOrgRepo',
  ...created,
  summary: 'Create a repository that an organization owns',
  access: orgRepoCreator(),
  handler: (context) => createFor(context, context.caller.subject),
})

const createOfOrgFormerly = route('POST /org/{org}/repos', {
  operationId: 'createOrgRepoDeprecated',
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

const show = route('GET /repos/{owner}/{repo}', {
  operationId: 'repoGet',
  summary: 'A repository',
  access: repoSeen(),
  returns: [200, Repository],
  shared: 'until written',
  handler: ({ caller, sql, from }) => readAndPrint(sql, caller, from.host),
})

const showById = route('GET /repositories/{id}', {
  operationId: 'repoGetByID',
  summary: 'A repository by its id',
  access: repoByIdSeen(),
  params: { id: numberParam },
  returns: [200, Repository],
  shared: 'until written',
  handler: ({ caller, sql, from }) => readAndPrint(sql, caller, from.host),
})

const edit = route('PATCH /repos/{owner}/{repo}', {
  operationId: 'repoEdit',
  summary: 'Change a repository; what is not given stays',
  access: repoAdmin(),
  body: EditRepoOption,
  fails: [404, 409, 507],
  returns: [200, Repository],
  handler: async (context) => printed(await editRepository(context), context.caller, context.from.host),
})

const remove = route('DELETE /repos/{owner}/{repo}', {
  operationId: 'repoDelete',
  summary: 'Delete a repository and its directory',
  access: repoOwner(),
  fails: [404],
  returns: [204],
  handler: deleteRepository,
})

const listOfOrg = route('GET /orgs/{org}/repos', {
  operationId: 'orgListRepos',
  summary: 'Repositories of an organization that the caller may see, last changed first',
  access: orgSeen(),
  ...pagesOf(Repository),
  shared: true,
  handler: (context) => listRepositories(context, { owner: context.caller.subject.id }, 'updated desc'),
})

const listOfUser = route('GET /users/{username}/repos', {
  operationId: 'userListRepos',
  summary: 'Repositories of a user that the caller may see, last changed first',
  access: userSeen('user', 'repository'),
  ...pagesOf(Repository),
  shared: true,
  handler: (context) => listRepositories(context, { owner: context.caller.subject.id }, 'updated desc'),
})

const listMine = route('GET /user/repos', {
  operationId: 'userCurrentListRepos',
  summary: 'Repositories that the caller owns or may use by name, by name',
  access: signedIn('user', 'repository'),
  ...pagesOf(Repository),
  shared: true,
  handler: (context) => listRepositories(context, { of: context.caller.me.id }, 'alpha asc'),
})

const search = route('GET /repos/search', {
  operationId: 'repoSearch',
  summary:
    'Repositories whose name holds a text (with `topic`: that have a topic of the comma-separated list), under filters and in an order of choice',
  access: everyone('repository'),
  query: {
    q: queryTrimmed,
    topic: queryFlag,
    uid: queryInteger,
    exclusive: queryFlag,
    is_private: queryFilter,
    template: queryFilter,
    archived: queryFilter,
    sort: queryWord(...REPOSITORY_SORTS),
    order: queryWord('asc', 'desc'),
    ...pageQuery(),
  },
  fails: [422],
  returns: [200, v.object({ ok: v.literal(true), data: v.array(Repository) })],
  sends: 'found',
  shared: true,
  handler: (context) => {
    const { query } = context
    const { q, uid, exclusive, is_private, template, archived } = query
    const whose = uid > 0 ? (exclusive ? { owner: uid } : { of: uid }) : {}
    const text = query.topic && q !== '' ? { topics: q.toLowerCase().split(',') } : { q }
    const filter = { ...text, is_private, template, archived, ...whose }
    return listRepositories(context, filter, sortingOf(query))
  },
})

export const repoRoutes = [
  createOfUser,
  createMine,
  createOfOrg,
  createOfOrgFormerly,
  show,
  showById,
  edit,
  remove,
  listOfOrg,
  listOfUser,
  listMine,
  search,
]

/** Creates a repository and prints it as its owner sees it. @throws Problem as `createRepository` */
async function createFor(
  context: Parameters<typeof createRepository>[0],
  owner: Account,
): Promise<Completion<Repository>> {
  const view = { host: context.from.host, level: LEVELS.owner, known: true }
  return (await createRepository(context, owner)).map((row) => printRepository(row, owner, view))
}

/**
 * A repository as it is now. Its owner is read again as well: the one in `caller` was read for one of those who share
 * the answer.
 */
async function readAndPrint(sql: Sql, caller: OnRepository, host: string): Promise<Repository> {
  const row = found(await repositoryById(sql, caller.repo.id))
  const subject = found(await accountById(sql, row.owner_id))
  return printed(row, { ...caller, subject }, host)
}

function printed(row: Stored, { repo, subject, me }: OnRepository, host: string): Repository {
  return printRepository(row, subject, { host, level: repo.level, known: me !== undefined })
}

/** A page of the repositories that the caller may see. */
export async function listRepositories(
  { caller, query, sql, from }: ForgeContext<Caller, { query: Paging }>,
  filter: RepositoryFilter,
  order: RepositoryOrder,
): Promise<Page<Repository>> {
  const page = await pageOfRepositories(sql, readerOf(caller), filter, query, order)
  return mapPage(page, (listed) => printListed(listed, caller, from.host))
}

/** A repository of a list, as the caller sees it. */
export const printListed = ({ row, owner, level }: Listed, { me }: Caller, host: string): Repository =>
  printRepository(row, owner, { host, level, known: me !== undefined })
