import type * as v from 'valibot'
import type { Begin, Sql } from '../../db/sql.ts'
import { listRefs, setHeadBranch } from '../../git/repository/refs.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { found, unprocessable } from '../../http/route/problem.ts'
import { repositoryNameFault } from '../accounts/names.ts'
import { type Actor, record } from '../admin/audit-trail.ts'
import type { ForgeTools } from '../route.ts'
import type { SignedInOnRepository } from './access.ts'
import { problemFromDatabaseError } from './creation.ts'
import { removeReleased, settle } from './directory.ts'
import { announce } from './events.ts'
import { problemOf } from './git-service.ts'
import type { EditRepoOption } from './repo.option.ts'
import {
  folderOf,
  lockRepository,
  type Repository,
  type RepositoryEdit,
  releaseRepositories,
  repositoryById,
  updateRepository,
} from './repo-store.ts'

type Input = v.InferOutput<typeof EditRepoOption>

/** What a handler is given that changes a repository. */
interface RepoEditContext<Body = undefined> extends Exclude<Actor, string> {
  caller: SignedInOnRepository
  body: Body
  sql: Sql
  begin: Begin
  tools: ForgeTools
}

/**
 * Changes a repository; what is not given stays. After a new name its directory is moved, which may wait.
 * @throws Problem 404 gone, 409 name taken, 422 name or branch
 */
export async function editRepository(ask: RepoEditContext<Input>): Promise<Repository> {
  const { body, begin, caller } = ask
  const { name, default_branch: branch, description, website, template, archived, ...rest } = body
  const { private: isPrivate, ...settings } = rest
  if (name) keepName(ask, name)
  if (branch) await keepBranch(ask, branch)
  const editing = begin(async (tx) => {
    const old = found(await lockRepository(tx, caller.repo.id))
    const edit: RepositoryEdit = {
      ...(name && { name }),
      ...(branch && { default_branch: branch }),
      ...defined({
        description,
        website,
        is_private: isPrivate,
        is_template: template,
        is_archived: archived,
      }),
      settings: { ...old.settings, ...chosen(settings) },
    }
    const row = await updateRepository(tx, old, edit)
    const target = { kind: 'repository', id: row.id, name: `${caller.subject.name}/${row.name}` }
    await record(tx, ask, { action: 'repository.edited', target, details: { ...body } })
    // The last thing, so that HEAD stays where the row does.
    if (branch) await headTo(ask, row, branch)
    return row
  })
  const row = await mapConstraints(editing, ({ constraint }) => problemFromDatabaseError(constraint))
  if (row.name.toLowerCase() !== row.folder_name) await settle(ask, row.owner_id)
  return row
}

/** Refuses a name that no repository or no directory can have. @throws Problem 422 */
function keepName({ caller, tools }: RepoEditContext<Input>, name: string): void {
  const fault = repositoryNameFault(name)
  if (fault !== undefined) throw unprocessable(fault)
  if (tools.gitService.repositories.path({ owner: caller.subject.name, name }) === undefined)
    throw problemOf({ kind: 'name', log: name })
}

/**
 * Refuses a branch that is not there, but in an empty repository, where it is to be.
 * @throws Problem 404, 422, 503
 */
async function keepBranch({ sql, caller, tools }: RepoEditContext<Input>, branch: string): Promise<void> {
  const { repositories, git } = tools.gitService
  const row = found(await repositoryById(sql, caller.repo.id))
  const path = found(repositories.path(folderOf(row)))
  if (row.is_empty) return
  const listed = await listRefs(git, path, ['refs/heads'])
  if (!listed.ok) throw problemOf(listed.fault)
  if (!listed.value.some((ref) => ref.name === `refs/heads/${branch}`))
    throw unprocessable(`branch does not exist [name: ${branch}]`)
}

/** Makes HEAD name a branch. @throws Problem 404, 503, 507 */
async function headTo({ tools }: RepoEditContext<Input>, row: Repository, branch: string): Promise<void> {
  const set = await setHeadBranch(found(tools.gitService.repositories.path(folderOf(row))), branch)
  if (!set.ok) throw problemOf(set.fault)
}

/** Deletes a repository: at once for everybody, then from the disk. @throws Problem 404 gone */
export async function deleteRepository(ask: RepoEditContext): Promise<void> {
  const { begin, caller, tools, from } = ask
  const released = await begin(async (tx) => {
    const row = found(await lockRepository(tx, caller.repo.id))
    const gone = await releaseRepositories(tx, { id: row.id })
    const { subject: owner, me: sender } = caller
    await announce(tx, tools, { action: 'deleted', row, owner, sender, host: from.host })
    const target = { kind: 'repository', id: row.id, name: `${owner.name}/${row.name}` }
    await record(tx, ask, { action: 'repository.deleted', target })
    return gone
  })
  await removeReleased(ask, released)
}

/** Settings that were given; "" chooses nothing. */
function chosen(
  settings: Readonly<Record<string, boolean | string | undefined>>,
): Record<string, boolean | string> {
  const kept: Record<string, boolean | string> = {}
  for (const [name, value] of Object.entries(settings))
    if (value !== undefined && value !== '') kept[name] = value
  return kept
}

function defined<Edit extends object>(edit: Edit): { [Name in keyof Edit]?: Exclude<Edit[Name], undefined> } {
  return Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined)) as ReturnType<
    typeof defined<Edit>
  >
}
