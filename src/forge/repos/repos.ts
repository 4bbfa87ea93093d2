import * as v from 'valibot'
import { mapPage, type Page, type Paging } from '../../db/page.ts'
import type { Sql } from '../../db/sql.ts'
import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { found, Problem, unprocessable } from '../../http/route/problem.ts'
import { accountById } from '../accounts/account.ts'
import { everyone, isPublicOnly, type OnSubject, signedIn, siteAdminOn } from '../auth/access.ts'
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
import { route } from '../route.ts'
import { userSeen } from '../users/access.ts'
import { type OnRepository, orgRepoCreator, repoAdmin, repoByIdSeen, repoOwner, repoSeen } from './access.ts'
import { LEVELS } from './access-level.ts'
import { createRepository } from './creation.ts'
import { deleteRepository, editRepository } from './edit.ts'
import { type Listed, pageOfRepositories, REPOSITORY_SORTS, sortingOf } from './list.ts'
import { CreateRepoOption, EditRepoOption } from './repo.option.ts'
import { printRepository, Repository } from './repo.shape.ts'
import { repositoryById, type Repository as Stored } from './repo-store.ts'

const created = { body: CreateRepoOption, returns: [201, Repository], fails: [400, 403, 409, 507] } as const

const createFor = route('POST /admin/users/{username}/repos', {
  operationId: 'adminCreateRepo',
  ...created,
  summary: 'Create a repository that a user or an organization owns',
  access: siteAdminOn(),
  handler: async (context) => {
    const { subject } = context.caller
    return printRepository(await createRepository(context, subject), subject, viewOfOwner(context.from.host))
  },
})

const createMine = route('POST /user/repos', {
  operationId: 'createCurrentUserRepo',
  ...created,
  summary: 'Create a repository of one’s own',
  access: signedIn('user', 'repository'),
  handler: async (context) => {
    const { me } = context.caller
    return printRepository(await createRepository(context, me), me, viewOfOwner(context.from.host))
  },
})

const createOfOrg = route('POST /orgs/{org}/repos', {
  operationId: 'createOrgRepo',
  ...created,
  summary: 'Create a repository that an organization owns',
  access: orgRepoCreator(),
  handler: async (context) => {
    const { subject } = context.caller
    return printRepository(await createRepository(context, subject), subject, viewOfOwner(context.from.host))
  },
})

const createOfOrgFormerly = route('POST /org/{org}/repos', {
  operationId: 'createOrgRepoDeprecated',
  ...created,
  summary: 'Create a repository that an organization owns; use /orgs/{org}/repos',
  access: orgRepoCreator(),
  fails: [507],
  deprecated: true,
  handler: async (context) => {
    const { subject } = context.caller
    const row = await createRepository(context, subject).catch(refuseAsUnprocessable)
    return printRepository(row, subject, viewOfOwner(context.from.host))
  },
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
  handler: ({ caller, query, sql, from }) => ownedBySubject(sql, caller, query, from.host),
})

const listOfUser = route('GET /users/{username}/repos', {
  operationId: 'userListRepos',
  summary: 'Repositories of a user that the caller may see, last changed first',
  access: userSeen('user', 'repository'),
  ...pagesOf(Repository),
  shared: true,
  handler: ({ caller, query, sql, from }) => ownedBySubject(sql, caller, query, from.host),
})

const listMine = route('GET /user/repos', {
  operationId: 'userCurrentListRepos',
  summary: 'Repositories that the caller owns or may use by name, by name',
  access: signedIn('user', 'repository'),
  ...pagesOf(Repository),
  shared: true,
  handler: async ({ caller, query, sql, from }) => {
    const filter = { of: caller.me.id }
    return listing(
      await pageOfRepositories(sql, readerOf(caller), filter, query, 'alpha asc'),
      caller,
      from.host,
    )
  },
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
  handler: async ({ caller, query, sql, from }) => {
    const { q, uid, exclusive, is_private, template, archived } = query
    const whose = uid > 0 ? (exclusive ? { owner: uid } : { of: uid }) : {}
    const text = query.topic && q !== '' ? { topics: q.toLowerCase().split(',') } : { q }
    const filter = { ...text, is_private, template, archived, ...whose }
    return listing(
      await pageOfRepositories(sql, readerOf(caller), filter, query, sortingOf(query)),
      caller,
      from.host,
    )
  },
})

export const repoRoutes = [
  createFor,
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

/** How the creator of a repository sees it. */
const viewOfOwner = (host: string) => ({ host, level: LEVELS.owner, known: true })

const readerOf = (caller: Caller) => ({ me: caller.me, publicOnly: isPublicOnly(caller) })

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

/** The repositories of an account that the caller may see, last changed first. */
async function ownedBySubject(
  sql: Sql,
  caller: OnSubject,
  paging: Paging,
  host: string,
): Promise<Page<Repository>> {
  const filter = { owner: caller.subject.id }
  return listing(
    await pageOfRepositories(sql, readerOf(caller), filter, paging, 'updated desc'),
    caller,
    host,
  )
}

function listing(page: Page<Listed>, { me }: Caller, host: string): Page<Repository> {
  const known = me !== undefined
  return mapPage(page, ({ row, owner, level }) => printRepository(row, owner, { host, level, known }))
}
