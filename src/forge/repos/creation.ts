import type * as v from 'valibot'
import type { Begin, Sql, Tx } from '../../db/sql.ts'
import type { FirstCommit } from '../../git/repository/first-commit.ts'
import type { RepositoryPath } from '../../git/repository/repositories.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import {
  badRequest,
  conflict,
  forbidden,
  Problem,
  unavailable,
  unprocessable,
} from '../../http/route/problem.ts'
import { type Account, lockAccount } from '../accounts/account.ts'
import { repositoryNameFault } from '../accounts/names.ts'
import { refuseSystem } from '../accounts/system-account.ts'
import { type Actor, record } from '../admin/audit-trail.ts'
import type { SignedIn } from '../auth/access.ts'
import { insertLabels } from '../issues/label-store.ts'
import { fillLicense } from '../misc/templates/fill-license.ts'
import { insertWatch, watchThroughTeams } from '../notifications/watch-store.ts'
import type { ForgeTools } from '../route.ts'
import { placeholderAddress } from '../users/email-address.ts'
import { countOwned, isRepositoryName } from './census.ts'
import { putCollaborator } from './collaborator-store.ts'
import { vacate } from './directory.ts'
import { announce } from './events.ts'
import { problemOf } from './git-service.ts'
import type { CreateRepoOption } from './repo.option.ts'
import {
  deleteUnmade,
  finishRepository,
  insertRepository,
  type Repository,
  type RepositoryDraft,
} from './repo-store.ts'

type Input = v.InferOutput<typeof CreateRepoOption>

/** What a handler is given that creates repositories. */
interface RepoContext extends Exclude<Actor, string> {
  caller: SignedIn & { is_owner: boolean }
  body: Input
  now: Date
  sql: Sql
  begin: Begin
  tools: ForgeTools
}

/** The sentence (409) for a name that the owner has already. */
const SAY_REPOSITORY_EXISTS = 'The repository with the same name already exists.'

/** The sentence (409) while the directory of a former repository is still being moved or removed. */
const sayFolderInUse =
  'The files of a former repository of that name are still in use; try again in a moment.'

/**
 * Creates a repository: takes the name, makes the directory, shows it. Whatever fails leaves nothing behind.
 * @throws Problem 400 readme, 403 too many, 409 taken, 422, 503 git, 507 disk
 */
export async function createRepository(context: RepoContext, owner: Account): Promise<Repository> {
  const { body, sql, begin, tools, caller, from } = context
  const { repositories } = tools.gitService
  refuseSystem(owner)
  const { draft, commit, labels } = planOf(context, owner)
  // Before the name is taken: what lies there already is not ours, whatever happens next.
  if ((await repositories.exists(draft.folder)) && !(await vacate(context, draft.folder)))
    throw await occupied(sql, owner, draft.folder)
  const isOwn = owner.id === caller.me.id
  const taking = begin(async (tx) => {
    await keepLimit(tx, caller.me, owner)
    const taken = await insertRepository(tx, draft)
    await insertWatch(tx, taken.id, caller.me.id)
    if (owner.kind === 'organization') await watchThroughTeams(tx, { repository: taken.id })
    // With the name, so that nothing that comes later depends on whether the caller is still there.
    if (!isOwn && !caller.is_owner) await putCollaborator(tx, taken.id, caller.me.id, 'admin')
    return taken
  })
  const row = await mapConstraints(
    taking,
    ({ constraint }) => callerGone(constraint, isOwn) ?? problemFromDatabaseError(constraint),
  )
  const place = draft.folder
  const made = commit
    ? await repositories.createWithCommit({ ...place, format: draft.object_format }, commit)
    : await repositories.create({ ...place, format: draft.object_format, branch: draft.default_branch })
  if (!made.ok) {
    await deleteUnmade(sql, row.id)
    throw problemOf(made.fault)
  }
  const bytes = await repositories.bytes(place)
  return begin(async (tx) => {
    const shown = await finishRepository(tx, row.id, bytes)
    // Somebody took us for dead, after minutes.
    if (!shown) throw unavailable('the repository took too long to make')
    await insertLabels(tx, row.id, labels)
    await announce(tx, tools, { action: 'created', row: shown, owner, sender: caller.me, host: from.host })
    const target = { kind: 'repository', id: row.id, name: `${owner.name}/${row.name}` }
    const details = { private: row.is_private, auto_init: body.auto_init }
    await record(tx, context, { action: 'repository.created', target, details })
    return shown
  })
}

/** Why a directory is there: a repository of that name, or files that nobody has adopted. */
async function occupied(sql: Sql, owner: Account, folder: RepositoryPath): Promise<Problem> {
  if (await isRepositoryName(sql, owner.id, folder.name)) return conflict(SAY_REPOSITORY_EXISTS)
  return problemOf({ kind: 'taken', log: 'the directory exists' })
}

/** The refusal for a constraint that says that who asks was deleted meanwhile: there is no such caller any more. */
function callerGone(constraint: string, isOwn: boolean): Problem | undefined {
  const known = isOwn ? 'repository_owner_known' : 'repository_watch_account_known'
  return constraint === known ? new Problem(401, 'token is required') : undefined
}

/** The refusal for a constraint that a name has broken. */
export function problemFromDatabaseError(constraint: string) {
  if (constraint === 'repository_name_unique') return conflict(SAY_REPOSITORY_EXISTS)
  return constraint === 'repository_folder_unique' ? conflict(sayFolderInUse) : undefined
}

/** Held against the locked owner, so that two at once do not both pass. Administrators are not limited. @throws Problem 403 */
export async function keepLimit(tx: Tx, me: Account, owner: Account): Promise<void> {
  if (me.is_admin || owner.max_repo_creation < 0) return
  const most = (await lockAccount(tx, owner.id))?.max_repo_creation ?? -1
  if (most >= 0 && (await countOwned(tx, owner.id)) >= most)
    throw forbidden(`user has reached maximum limit of repositories [limit: ${most}]`)
}

interface Plan {
  draft: RepositoryDraft
  commit: FirstCommit | undefined
  labels: NonNullable<ReturnType<ForgeTools['templateCatalog']['labels']>>
}

/** All that can be wrong with a wish is found here, before anything is written. @throws Problem 400, 422 */
function planOf(context: RepoContext, owner: Account): Plan {
  const { body, tools } = context
  const fault = repositoryNameFault(body.name)
  if (fault !== undefined) throw unprocessable(fault)
  const folder = { owner: owner.name.toLowerCase(), name: body.name.toLowerCase() }
  if (tools.gitService.repositories.path(folder) === undefined)
    throw problemOf({ kind: 'name', log: `${folder.owner}/${folder.name}` })
  const labels = labelsOf(body.issue_labels, tools)
  // A licence is checked in any case, and takes effect with a first commit only.
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
  const { me } = caller
  const hidden = placeholderAddress(me.id, me.name, `noreply.${new URL(from.host).hostname}`)
  const signature = { name: me.full_name || me.name, email: me.hides_email ? hidden : me.email, at: now }
  const files = [{ path: 'README.md', content: `# ${body.name}\n\n${body.description}` }]
  const ignored = gitignoreOf(body.gitignores, tools)
  if (ignored !== '') files.push({ path: '.gitignore', content: ignored })
  if (license !== '') files.push({ path: 'LICENSE', content: license })
  return { branch, author: signature, committer: signature, message: 'Initial commit\n', files }
}

/** Each template under a line with its name, in the order in which they were asked for. @throws Problem 422 */
function gitignoreOf(names: string, { templateCatalog }: ForgeTools): string {
  const asked = names === '' ? [] : names.split(',')
  return asked
    .map((name) => {
      const template = templateCatalog.gitignore(name)
      if (!template) throw unprocessable(`gitignore template "${name}" not found`)
      return `# ---> ${name}\n${template.source}\n`
    })
    .join('')
}

/** The text of the licence that was asked for; "" for none. @throws Problem 422 */
function licenseOf(body: Input, owner: Account, { templateCatalog }: ForgeTools, now: Date): string {
  if (body.license === '') return ''
  const license = templateCatalog.license(body.license)
  if (!license) throw unprocessable(`license template "${body.license}" not found`)
  const email = owner.hides_email || owner.email === '' ? {} : { email: owner.email }
  const values = { year: now.getUTCFullYear(), owner: owner.name, project: body.name, ...email }
  return fillLicense(license.key, license.body, values)
}
