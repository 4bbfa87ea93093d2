import type * as v from 'valibot'
import { beginFor } from '../../db/begin.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import type { FirstCommit } from '../../git/repository/first-commit.ts'
import type { RepositoryPath } from '../../git/repository/repositories.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import {
  badRequest,
  conflict,
  forbidden,
  type Problem,
  unavailable,
  unprocessable,
} from '../../http/route/problem.ts'
import { Completion } from '../../http/route/results.ts'
import { type Account, lockAccount } from '../accounts/account.ts'
import { repositoryNameFault } from '../accounts/names.ts'
import { refuseSystem } from '../accounts/system-account.ts'
import { record, repositoryTarget } from '../admin/audit-trail.ts'
import type { SignedIn } from '../auth/access.ts'
import { insertLabels } from '../labels/label-store.ts'
import { fillLicense } from '../misc/templates/fill-license.ts'
import { insertWatch, watchThroughTeams } from '../notifications/watch-store.ts'
import type { ForgeContext, ForgeTools } from '../route.ts'
import { signatureOf } from '../users/git-signature.ts'
import { putCollaborator } from './collaborator-store.ts'
import { freeDirectory } from './directory.ts'
import { emitRepositoryEvent } from './events.ts'
import { problemOf } from './git-service.ts'
import type { CreateRepoOption } from './repo.option.ts'
import { countOwned, isRepositoryName } from './repo-queries.ts'
import {
  deleteUnmade,
  finishRepository,
  insertRepository,
  type Repository,
  type RepositoryDraft,
} from './repo-store.ts'

type Input = v.InferOutput<typeof CreateRepoOption>

type RepoContext = ForgeContext<SignedIn, { body: Input }>

/** The message (409) for a name that the owner uses already. */
const SAY_REPOSITORY_EXISTS = 'The repository with the same name already exists.'

/** A repository whose name and directory are reserved. */
interface Reserved extends Plan {
  owner: Account
  row: Repository
}

/**
 * Creates a repository: reserves the name, creates the directory, makes the repository visible. The reservation is
 * committed first, so that `repair` finds it after a crash. A failure leaves nothing behind.
 * @throws Problem 400 readme, 403 too many, 409 taken, 422; its completion: 503 git, 507 disk
 */
export async function createRepository(
  context: RepoContext,
  owner: Account,
): Promise<Completion<Repository>> {
  const reserved = await reserve(context, owner)
  let hasDirectory = false
  return new Completion(
    async (within) => {
      await createDirectory(context, reserved)
      hasDirectory = true
      return finish({ ...context, ...within }, reserved)
    },
    async () => {
      // A directory without a row would block the name: `repair` finishes what has one.
      if (!hasDirectory) await deleteUnmade(context.sql, reserved.row.id)
    },
  )
}

/** @throws Problem 400 readme, 403 too many, 409 taken, 422 */
async function reserve(context: RepoContext, owner: Account): Promise<Reserved> {
  const { sql, begin, tools, caller, from } = context
  const { repositories } = tools.gitService.forRequest(from.id)
  refuseSystem(owner)
  const plan = planOf(context, owner)
  const { draft } = plan
  // A move of another directory is no change of the caller, whose rights are confirmed with the reservation.
  const moving = { ...context, begin: beginFor(null, begin) }
  // Check before reserving the name: an existing directory belongs to another repository, so a later failure must not
  // delete it.
  if ((await repositories.exists(draft.folder)) && !(await freeDirectory(moving, draft.folder)))
    throw await occupiedProblem(sql, owner, draft.folder)
  const isOwn = owner.id === caller.me.id
  const reserving = begin(async (tx) => {
    await enforceLimit(tx, caller.me, owner)
    const reserved = await insertRepository(tx, draft)
    await insertWatch(tx, reserved.id, caller.me.id)
    if (owner.kind === 'organization') await watchThroughTeams(tx, { repository: reserved.id })
    // In the same transaction, so that nothing later depends on whether the caller's account still exists.
    if (!isOwn && !caller.is_owner) await putCollaborator(tx, reserved.id, caller.me.id, 'admin')
    return reserved
  })
  // The caller was deleted meanwhile: then the request is no longer authenticated.
  const callerGone = isOwn ? 'repository_owner_known' : 'repository_watch_account_known'
  const row = await mapConstraints(reserving, { ...nameConflicts, [callerGone]: [401, 'token is required'] })
  return { ...plan, owner, row }
}

/** @throws Problem 503 git, 507 disk */
async function createDirectory({ tools, from }: RepoContext, { draft, commit }: Reserved): Promise<void> {
  const { repositories } = tools.gitService.forRequest(from.id)
  const at = { ...draft.folder, format: draft.object_format }
  const created = commit
    ? await repositories.createWithCommit(at, commit)
    : await repositories.create({ ...at, branch: draft.default_branch })
  if (!created.ok) throw problemOf(created.fault)
}

/** Makes a repository visible whose directory exists. @throws Problem 503 */
async function finish(context: RepoContext, { owner, row, draft, labels }: Reserved): Promise<Repository> {
  const { begin, tools, caller, from, body } = context
  const bytes = await tools.gitService.repositories.bytes(draft.folder)
  return begin(async (tx) => {
    const ready = await finishRepository(tx, row.id, bytes)
    // After minutes, the repair task took this creation for dead and removed it.
    if (!ready) throw unavailable('the repository took too long to make')
    await insertLabels(tx, row.id, labels)
    await emitRepositoryEvent(tx, tools, {
      action: 'created',
      row: ready,
      owner,
      sender: caller.me,
      host: from.host,
    })
    const target = repositoryTarget(row, owner)
    const details = { private: row.is_private, auto_init: body.auto_init }
    await record(tx, context, { action: 'repository.created', target, details })
    return ready
  })
}

/** The conflict to report for an existing directory: a repository of that name, or files that no repository owns. */
async function occupiedProblem(sql: Sql, owner: Account, folder: RepositoryPath): Promise<Problem> {
  if (await isRepositoryName(sql, owner.id, folder.name)) return conflict(SAY_REPOSITORY_EXISTS)
  return problemOf({ kind: 'taken', log: 'the directory exists' })
}

/** The refusals of a name that cannot be had. */
export const nameConflicts = {
  repository_name_unique: [409, SAY_REPOSITORY_EXISTS],
  // The directory of a former repository is still being moved or deleted.
  repository_folder_unique: [
    409,
    'The files of a former repository of that name are still in use; try again in a moment.',
  ],
} as const

/**
 * Counts under a lock on the owner, so that concurrent creations cannot exceed the limit. Administrators are not
 * limited.
 * @throws Problem 403
 */
export async function enforceLimit(tx: Tx, me: Account, owner: Account): Promise<void> {
  if (me.is_admin || owner.max_repo_creation < 0) return
  const limit = (await lockAccount(tx, owner.id))?.max_repo_creation ?? -1
  if (limit >= 0 && (await countOwned(tx, owner.id)) >= limit)
    throw forbidden(`user has reached maximum limit of repositories [limit: ${limit}]`)
}

interface Plan {
  draft: RepositoryDraft
  commit: FirstCommit | undefined
  labels: NonNullable<ReturnType<ForgeTools['templateCatalog']['labels']>>
}

/** Validates the whole input before anything is written. @throws Problem 400, 422 */
function planOf(context: RepoContext, owner: Account): Plan {
  const { body, tools } = context
  const fault = repositoryNameFault(body.name)
  if (fault !== undefined) throw unprocessable(fault)
  const folder = { owner: owner.name.toLowerCase(), name: body.name.toLowerCase() }
  if (tools.gitService.repositories.path(folder) === undefined)
    throw problemOf({ kind: 'name', log: `${folder.owner}/${folder.name}` })
  const labels = labelsOf(body.issue_labels, tools)
  // A licence is always validated, but only takes effect with an initial commit.
  const license = licenseOf(body, owner, tools, context.now)
  const branch = body.default_branch || 'main'
  const commit = body.auto_init ? firstCommit(context, { branch, license }) : undefined
  return {
    labels,
    commit,
    draft: {
      owner_id: owner.id,
      name: body.name,
      folder,
      description: body.description,
      is_private: body.private,
      is_template: body.template,
      is_empty: !body.auto_init,
      default_branch: branch,
      object_format: body.object_format_name === 'sha256' ? 'sha256' : 'sha1',
      branch_count: body.auto_init ? 1 : 0,
      licenses: commit && body.license !== '' ? [body.license] : [],
    },
  }
}

/** @throws Problem 422 */
function labelsOf(set: string, { templateCatalog }: ForgeTools): Plan['labels'] {
  const labels = set === '' ? [] : templateCatalog.labels(set)
  if (labels) return labels
  throw unprocessable(`failed to load label template file "${set}": label template "${set}" not found`)
}

/** @throws Problem 400, 422 */
function firstCommit(
  { body, tools, caller, from, now }: RepoContext,
  { branch, license }: { branch: string; license: string },
): FirstCommit {
  if (body.readme !== '' && body.readme !== 'Default')
    throw badRequest('readme template does not exist, available templates: [Default]')
  const signature = signatureOf(caller.me, { from, now })
  const files = [{ path: 'README.md', content: `# ${body.name}\n\n${body.description}` }]
  const ignored = gitignoreOf(body.gitignores, tools)
  if (ignored !== '') files.push({ path: '.gitignore', content: ignored })
  if (license !== '') files.push({ path: 'LICENSE', content: license })
  return { branch, author: signature, committer: signature, message: 'Initial commit\n', files }
}

/** Concatenates the requested templates in order, each below a line with its name. @throws Problem 422 */
function gitignoreOf(names: string, { templateCatalog }: ForgeTools): string {
  const requested = names === '' ? [] : names.split(',')
  return requested
    .map((name) => {
      const template = templateCatalog.gitignore(name)
      if (!template) throw unprocessable(`gitignore template "${name}" not found`)
      return `# ---> ${name}\n${template.source}\n`
    })
    .join('')
}

/** The text of the requested licence; "" for none. @throws Problem 422 */
function licenseOf(body: Input, owner: Account, { templateCatalog }: ForgeTools, now: Date): string {
  if (body.license === '') return ''
  const license = templateCatalog.license(body.license)
  if (!license) throw unprocessable(`license template "${body.license}" not found`)
  const email = owner.hides_email || owner.email === '' ? {} : { email: owner.email }
  const values = { year: now.getUTCFullYear(), owner: owner.name, project: body.name, ...email }
  return fillLicense(license.key, license.body, values)
}
