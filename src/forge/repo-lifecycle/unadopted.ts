import * as v from 'valibot'
import { mapPage, pageFrom } from '../../db/page.ts'
import type { Sql } from '../../db/sql.ts'
import { headBranch, listRefs, setHeadBranch } from '../../git/repository/refs.ts'
import type { RepositoryPath } from '../../git/repository/repositories.ts'
import { scanRepositories } from '../../git/repository/unadopted.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { pageQuery } from '../../http/route/page.ts'
import { found, notFound, unprocessable } from '../../http/route/problem.ts'
import { noBody, paged } from '../../http/route/sends.ts'
import { accountByName } from '../accounts/account-store.ts'
import { repositoryNameFault } from '../accounts/names.ts'
import { record, repositoryTarget } from '../audit/audit-trail.ts'
import { siteAdmin } from '../auth/access.ts'
import { queryText } from '../protocol/query.ts'
import { gitValue } from '../repos/code.ts'
import { licensesAt } from '../repos/licenses/license-files.ts'
import { isRepositoryName, unadopted } from '../repos/repo-query-store.ts'
import { deleteReleased, finishRepository, insertRepository, insertTombstone } from '../repos/repo-store.ts'
import { type ForgeTools, route, toolsFor } from '../route.ts'
import { insertWatch, watchThroughTeams } from '../watching/watch-store.ts'
import { copyHooks } from '../webhooks/hook-store.ts'
import { nameConflicts } from './creation/creation.ts'

export const adminUnadoptedList = route('GET /admin/unadopted', {
  summary: 'Unadopted directories, which belong to no repository',
  access: siteAdmin(),
  query: { query: queryText, pattern: queryText, ...pageQuery() },
  returns: paged(v.string()),
  shared: true,
  handler: async ({ query, sql, tools }) => {
    const all = await scanRepositories(tools.gitService.repositories.root, query.query || query.pattern)
    const usable = all.filter(({ name }) => repositoryNameFault(name) === undefined)
    const page = pageFrom(await unadopted(sql, usable), query)
    return mapPage(page, ({ owner, name }) => `${owner}/${name}`)
  },
})

export const adminAdoptRepository = route('POST /admin/unadopted/{owner}/{repo}', {
  summary: 'Adopt an unadopted directory as a private repository',
  access: siteAdmin(),
  fails: [404, 409, 422],
  returns: noBody(204),
  handler: async (context) => {
    const { params, sql, begin, tools } = context
    const { owner, directory } = await findUnadopted(sql, tools, params)
    const fault = repositoryNameFault(params.repo)
    if (fault !== undefined) throw unprocessable(fault)
    const { format, branch, branches, licenses } = await inspectDirectory(
      toolsFor(context.from, tools),
      directory,
    )
    const bytes = await tools.gitService.repositories.bytes(directory)
    const adopting = begin(async (tx) => {
      const row = await insertRepository(tx, {
        owner_id: owner.id,
        name: params.repo,
        folder: directory,
        description: '',
        is_private: true,
        is_template: false,
        is_empty: branches === 0,
        default_branch: branch,
        object_format: format,
        branch_count: branches,
        licenses,
        topics: [],
      })
      // The directory may have been deleted before this row was inserted.
      if (!(await tools.gitService.repositories.exists(directory))) throw notFound()
      await insertWatch(tx, row.id, context.caller.me.id)
      await watchThroughTeams(tx, { repository: row.id })
      await finishRepository(tx, row.id, bytes)
      await copyHooks(tx, tools.secrets, { from: { site: 'default' }, to: row.id })
      await record(tx, context, { action: 'repository.adopted', target: repositoryTarget(row, owner) })
    })
    await mapConstraints(adopting, nameConflicts)
  },
})

export const adminDeleteUnadoptedRepository = route('DELETE /admin/unadopted/{owner}/{repo}', {
  summary: 'Delete an unadopted directory',
  access: siteAdmin(),
  fails: [404],
  returns: noBody(204),
  handler: async (context) => {
    const { params, sql, begin, tools } = context
    const { owner, directory } = await findUnadopted(sql, tools, params)
    const { repositories } = tools.gitService
    const taking = begin(async (tx) => {
      const row = await insertTombstone(tx, directory)
      if (!(await repositories.exists(directory))) throw notFound()
      const target = { kind: 'directory', name: `${owner.name}/${params.repo}` }
      await record(tx, context, { action: 'unadopted.deleted', target })
      return row
    })
    const { id } = await mapConstraints(taking, { repository_folder_unique: [404, 'not found'] })
    gitValue(await repositories.remove(directory))
    await deleteReleased(sql, id)
  },
})

/** A directory without a row, whose owner exists. @throws Problem 404 */
async function findUnadopted(sql: Sql, { gitService }: ForgeTools, params: { owner: string; repo: string }) {
  const owner = found(await accountByName(sql, params.owner))
  const directory = { owner: owner.name.toLowerCase(), name: params.repo.toLowerCase() }
  if (!(await gitService.repositories.exists(directory))) throw notFound()
  const [left] = await unadopted(sql, [directory])
  if (!left || (await isRepositoryName(sql, owner.id, directory.name))) throw notFound()
  return { owner, directory }
}

/**
 * Inspects the directory. The default branch is that of HEAD if it exists, else `main`, `master`, or the first one.
 * @throws Problem 422, 503
 */
async function inspectDirectory({ gitService, licenseDetector }: ForgeTools, directory: RepositoryPath) {
  const { repositories } = gitService
  const reason = await repositories.outside(directory)
  if (reason !== undefined) throw unprocessable(`the directory ${reason}`)
  const inspected = await repositories.inspect(directory)
  const repository = repositories.open(directory)
  if (!repository || (!inspected.ok && inspected.fault.kind === 'failed')) throw unusable()
  const { format } = gitValue(inspected)
  const listed = await listRefs(repository, ['refs/heads'])
  if (!listed.ok && listed.fault.kind === 'failed') throw unusable()
  const branchRefs = gitValue(listed)
  const names = branchRefs.map(({ name }) => name.slice('refs/heads/'.length))
  const head = await headBranch(repository.directory)
  const candidates = [head.ok ? head.value : undefined, 'main', 'master', names[0]]
  const branch = candidates.find((name) => name !== undefined && names.includes(name)) ?? 'main'
  if (!head.ok || head.value !== branch) await setHeadBranch(repository.directory, branch)
  const commit = branchRefs.find(({ name }) => name === `refs/heads/${branch}`)
  const licenses = gitValue(await licensesAt(repository, commit?.id, licenseDetector))
  return { format, branch, branches: names.length, licenses }
}

const unusable = () => unprocessable('the directory is no bare git repository')
