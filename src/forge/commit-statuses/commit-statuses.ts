import { BOT_ID } from '../../actions/run/bot.ts'
import { emitEvents } from '../../background/domain-events.ts'
import type { Paging } from '../../db/page.ts'
import type { Sql } from '../../db/sql.ts'
import type { OpenRepository } from '../../git/program/git.ts'
import { isObjectId } from '../../git/program/names.ts'
import { type CommitObject, readCommitObject } from '../../git/repository/commit.ts'
import { readCommit } from '../../git/repository/history.ts'
import { revisionOf } from '../../git/repository/revisions.ts'
import { pageQuery } from '../../http/route/page.ts'
import { found } from '../../http/route/problem.ts'
import { json, paged } from '../../http/route/sends.ts'
import { accountById, accountsByIds } from '../accounts/account-store.ts'
import { commitNamesOf } from '../accounts/commit-names.ts'
import type { Caller } from '../auth/caller.ts'
import { problemOf } from '../git-service.ts'
import { queryWord } from '../protocol/query.ts'
import { type OnRepository, statusesSeen, statusesWritten } from '../repos/access.ts'
import { printRepository } from '../repos/repo.shape.ts'
import { folderOf, type Repository, repositoryById } from '../repos/repo-store.ts'
import { type ForgeContext, type ForgeTools, route, toolsFor } from '../route.ts'
import { payloadCommit } from '../webhooks/payload/payload.ts'
import { CreateStatusOption } from './commit-status.option.ts'
import { CombinedStatus, CommitStatus, combine, printStatus } from './commit-status.shape.ts'
import {
  COMMIT_STATES,
  insertStatus,
  newestStatuses,
  pageOfStatuses,
  STATUS_ORDERS,
  type StoredStatus,
} from './commit-status-store.ts'
import { statusEvent } from './status-events.ts'

/** Statuses of commits, set by jobs and by external programs. */

export const repoGetCombinedStatusByRef = route('GET /repos/{owner}/{repo}/commits/{ref}/status', {
  summary: 'Combined status of a commit: the newest status of each context, and the worst of them',
  access: statusesSeen(),
  query: pageQuery(),
  fails: [404],
  returns: json(200, CombinedStatus),
  handler: async ({ sql, caller, tools, params, query, from }) => {
    const { row, commit } = await commitOf(sql, toolsFor(from, tools), caller, params.ref)
    const all = await newestStatuses(sql, row.id, commit.id)
    const start = (query.page - 1) * query.limit
    const view = viewOf(caller, row, from.host)
    const printed = await printAll(sql, all.slice(start, start + query.limit), view)
    const printing = { host: from.host, level: caller.repo.level, known: caller.me !== undefined }
    return {
      state: combine(all.map(({ state }) => state)),
      sha: commit.id,
      total_count: all.length,
      statuses: printed,
      repository: printRepository(row, caller.subject, printing),
      commit_url: `${from.host}${caller.subject.name}/${row.name}/commit/${commit.id}`,
      url: `${view.api}/commits/${commit.id}/status`,
    }
  },
})

const listing = {
  access: statusesSeen(),
  query: { sort: queryWord(...STATUS_ORDERS), state: queryWord(...COMMIT_STATES), ...pageQuery() },
  fails: [404],
  returns: paged(CommitStatus),
  shared: 'until written',
} as const

export const repoListStatuses = route('GET /repos/{owner}/{repo}/statuses/{sha}', {
  ...listing,
  summary: 'Statuses of the commit that an id or a ref points to, newest first',
  handler: (context) => listed(context, context.params.sha),
})

export const repoListStatusesByRef = route('GET /repos/{owner}/{repo}/commits/{ref}/statuses', {
  ...listing,
  summary: 'Statuses of the commit that a ref points to, newest first',
  handler: (context) => listed(context, context.params.ref),
})

export const repoCreateStatus = route('POST /repos/{owner}/{repo}/statuses/{sha}', {
  summary: 'Create a status of a commit, named by an id, its first digits, a branch or a tag',
  access: statusesWritten(),
  body: CreateStatusOption,
  fails: [404, 422],
  returns: json(201, CommitStatus),
  runsGit: true,
  handler: async ({ sql, begin, caller, tools, params, body, from }) => {
    const { row, repository, commit } = await commitOf(
      sql,
      toolsFor(from, tools),
      caller,
      params.sha,
      'sha not found',
    )
    const read = await readCommit(repository, commit.id)
    if (!read.ok) throw problemOf(read.fault)
    const named = await commitNamesOf(sql, [read.value])
    const { description = '', target_url = '', context } = body
    const state = found(COMMIT_STATES.find((each) => each === body.state))
    const draft = { state, description, target_url, context: context || 'default' }
    const target = { repository: row.id, commit: commit.id, creator: caller.me.id }
    const status = await begin(async (tx) => {
      const inserted = await insertStatus(tx, target, draft)
      const { host } = from
      const payload = payloadCommit(named(read.value), `${host}${caller.subject.name}/${row.name}`)
      const facts = { commit: payload, row, owner: caller.subject, sender: caller.me, host }
      await emitEvents(tx, [statusEvent(inserted, facts)])
      return inserted
    })
    return printStatus(status, caller.me, viewOf(caller, row, from.host))
  },
})

async function listed(
  {
    sql,
    caller,
    tools,
    query,
    from,
  }: ForgeContext<OnRepository, { query: Paging & { sort: string; state: string } }>,
  ref: string,
) {
  const { row, commit } = await commitOf(sql, toolsFor(from, tools), caller, ref)
  const order = STATUS_ORDERS.find((each) => each === query.sort)
  const page = await pageOfStatuses(
    sql,
    { repository: row.id, commit: commit.id, state: query.state },
    order,
    query,
  )
  return { ...page, rows: await printAll(sql, page.rows, viewOf(caller, row, from.host)) }
}

/**
 * Resolves an object id, branch, tag or abbreviated id to a commit, in this order; a ref may be given in full.
 * @throws Problem 404 with `sentence` when nothing matches
 */
async function commitOf(
  sql: Sql,
  { gitService: { repositories } }: ForgeTools,
  caller: OnRepository,
  ref: string,
  sentence = 'ref not found',
): Promise<{ row: Repository; repository: OpenRepository; commit: CommitObject }> {
  const row = found(await repositoryById(sql, caller.repo.id))
  const repository = found(repositories.open(folderOf(row)))
  const named = isObjectId(ref) ? undefined : await revisionOf(repository, ref)
  if (named?.ok === false) throw problemOf(named.fault)
  const id = isObjectId(ref) ? ref : found(named?.value, sentence).commit
  const commit = await readCommitObject(repository, id)
  if (!commit.ok) throw problemOf(commit.fault)
  return { row, repository, commit: found(commit.value, 'commit not found') }
}

interface View {
  viewer: Caller['me']
  host: string
  api: string
}

function viewOf({ me, subject }: OnRepository, row: Repository, host: string): View {
  return { viewer: me, host, api: `${host}api/v1/repos/${subject.name}/${row.name}` }
}

async function printAll(sql: Sql, rows: readonly StoredStatus[], view: View): Promise<CommitStatus[]> {
  const ids = [...new Set(rows.map(({ creator_id }) => creator_id))].filter((id) => id !== null)
  const accounts = ids.length > 0 ? await accountsByIds(sql, ids) : []
  const bot = rows.some(({ by_bot }) => by_bot) ? await accountById(sql, BOT_ID) : undefined
  return rows.map((row) => {
    const creator = row.by_bot ? bot : accounts.find(({ id }) => id === row.creator_id)
    return printStatus(row, creator, view)
  })
}
