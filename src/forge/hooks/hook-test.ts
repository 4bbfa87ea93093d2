import { readPush } from '../../git/repository/history.ts'
import { listRefs } from '../../git/repository/refs.ts'
import { found, unprocessable } from '../../http/route/problem.ts'
import { type Account, accountByName } from '../accounts/account-store.ts'
import { commitNamesOf } from '../accounts/commit-names.ts'
import { printUser } from '../accounts/user.shape.ts'
import { record } from '../audit/audit-trail.ts'
import { problemOf } from '../git-service.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import type { SignedInOnRepository } from '../repos/access.ts'
import { printRepository } from '../repos/repo.shape.ts'
import { repositoryNamed } from '../repos/repo-query-store.ts'
import { folderOf, type Repository, repositoryById } from '../repos/repo-store.ts'
import type { ForgeContext } from '../route.ts'
import { enqueueFor } from '../webhooks/events.ts'
import { type HookMessage, payloadCommit, pushMessage } from '../webhooks/payload/payload.ts'
import type { OnHooks } from './access.ts'
import { hookIn } from './reading.ts'

type Context = ForgeContext<OnHooks, { params: { id: number }; query: { ref: string } }>

/** The repository whose newest commit is sent. */
interface Source {
  row: Repository
  owner: Account
}

/** Tests a hook with its own repository. @throws Problem as `sendNewest` */
export async function testHook(context: Context & { caller: SignedInOnRepository }): Promise<void> {
  const { repo, subject: owner } = context.caller
  await sendNewest(context, { row: found(await repositoryById(context.sql, repo.id)), owner })
}

/**
 * Tests a hook of the site with the repository that the query names.
 * @throws Problem as `sendNewest`, 422 also where there is no such repository
 */
export async function testSiteHook(context: Context & { query: { repository: string } }): Promise<void> {
  const { sql, query } = context
  const [ownerName = '', name = '', ...surplus] = query.repository.split('/')
  const owner = surplus.length === 0 ? await accountByName(sql, ownerName) : undefined
  const named = owner && (await repositoryNamed(sql, owner.id, name))
  const row = named && (await repositoryById(sql, named.id))
  if (!row) throw unprocessable(`there is no repository "${query.repository}"; write owner/name`)
  await sendNewest(context, { row, owner })
}

/**
 * Sends the newest commit of a branch (default: the branch of HEAD) to a hook, as a push that moved nothing.
 * @throws Problem 404 hook or branch, 422 the hook is inactive, 503 git
 */
async function sendNewest(context: Context, source: Source): Promise<void> {
  const hook = await hookIn(context, context.sql)
  if (!hook.active) throw unprocessable('the webhook is not active')
  const message = await newestPush(context, source)
  if (!message) return
  await context.begin(async (tx) => {
    await enqueueFor(tx, hook, message)
    await record(tx, context, {
      action: 'hook.tried',
      target: { kind: 'hook', id: hook.id, name: context.caller.owner.name },
    })
  })
}

/** Undefined if there is no commit. @throws Problem 404, 503 */
async function newestPush(
  { sql, caller, query, tools, from }: Context,
  { row, owner }: Source,
): Promise<HookMessage | undefined> {
  const { repositories } = tools.gitService.forRequest(from)
  const opened = found(repositories.open(folderOf(row)))
  if (row.is_empty && query.ref === '') return undefined
  const listed = await listRefs(opened, ['refs/heads'])
  if (!listed.ok) throw problemOf(listed.fault)
  const ref = `refs/heads/${(query.ref || row.default_branch).replace(/^refs\/heads\//, '')}`
  const { id } = found(listed.value.find(({ name }) => name === ref))
  const read = await readPush(opened, {
    before: '0'.repeat(id.length),
    after: id,
    maxCommits: 1,
    count: 1,
  })
  if (!read.ok) throw problemOf(read.fault)
  const repository = printRepository(row, owner, {
    host: from.host,
    level: LEVELS.owner,
    known: false,
  })
  const named = await commitNamesOf(sql, read.value.commits)
  const commits = read.value.commits.map((commit) => payloadCommit(named(commit), repository.html_url))
  const sender = printUser(caller.me, undefined, from.host)
  const head = commits[0] ?? null
  const refUpdate = { ref, before: id, after: id, first: false, total: commits.length }
  return pushMessage({ ...refUpdate, commits, head, root: tools.root, repository, sender })
}
