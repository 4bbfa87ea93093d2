import { readPush } from '../../git/repository/history.ts'
import { listRefs } from '../../git/repository/refs.ts'
import { found, unprocessable } from '../../http/route/problem.ts'
import { record } from '../admin/audit-trail.ts'
import type { SignedInOnRepository } from '../repos/access.ts'
import { LEVELS } from '../repos/access-level-store.ts'
import { problemOf } from '../repos/git-service.ts'
import { printRepository } from '../repos/repo.shape.ts'
import { folderOf, repositoryById } from '../repos/repo-store.ts'
import type { ForgeContext } from '../route.ts'
import { printUser } from '../users/user.shape.ts'
import type { OnHooks } from './editing.ts'
import { enqueueFor } from './events.ts'
import { hookById } from './hook-store.ts'
import { type HookMessage, payloadCommit, pushMessage } from './payload/payload.ts'

type Context = ForgeContext<
  SignedInOnRepository & OnHooks,
  { params: { id: number }; query: { ref: string } }
>

/**
 * Sends the newest commit of a branch (default: the branch of HEAD) to a hook as a push that moved nothing.
 * @throws Problem 404 hook or branch, 422 the hook is inactive, 503 git
 */
export async function testHook(context: Context): Promise<void> {
  const { owner } = context.caller
  const hook = found(await hookById(context.sql, context.tools.secrets, owner.filter, context.params.id))
  if (!hook.active) throw unprocessable('the webhook is not active')
  const message = await newestPush(context)
  if (!message) return
  await context.begin(async (tx) => {
    await enqueueFor(tx, hook, message)
    await record(tx, context, {
      action: 'hook.tried',
      target: { kind: 'hook', id: hook.id, name: owner.name },
    })
  })
}

/** Undefined if there is no commit. @throws Problem 404, 503 */
async function newestPush({ caller, query, sql, tools, from }: Context): Promise<HookMessage | undefined> {
  const { subject: repositoryOwner, me } = caller
  const { repositories } = tools.gitService.forRequest(from.id)
  const row = found(await repositoryById(sql, caller.repo.id))
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
  const repository = printRepository(row, repositoryOwner, {
    host: from.host,
    level: LEVELS.owner,
    known: false,
  })
  const commits = read.value.commits.map((commit) => payloadCommit(commit, repository.html_url))
  const sender = printUser(me, undefined, from.host)
  const head = commits[0] ?? null
  const refUpdate = { ref, before: id, after: id, first: false, total: commits.length }
  return pushMessage({ ...refUpdate, commits, head, root: tools.root, repository, sender })
}
