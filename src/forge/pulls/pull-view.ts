import type { Sql } from '../../db/sql.ts'
import type { OpenRepository } from '../../git/program/git.ts'
import { inTransaction } from '../../git/program/in-transaction.ts'
import { resolveRef } from '../../git/repository/revisions.ts'
import { found } from '../../http/route/problem.ts'
import type { Account } from '../accounts/account-store.ts'
import { ghost } from '../accounts/ghost.ts'
import { printUser, type User } from '../accounts/user.shape.ts'
import type { GitService } from '../git-service.ts'
import { type People, printIssue } from '../issues/issue.shape.ts'
import { peopleIn } from '../issues/people.ts'
import { printTeam, type Team } from '../orgs/team.shape.ts'
import { teamsByIds } from '../orgs/team-store.ts'
import type { Repo } from '../permissions/repo-lookup-store.ts'
import type { OnRepository } from '../repos/access.ts'
import { gitValue } from '../repos/code.ts'
import { printedParents } from '../repos/parents.ts'
import { printRepository, type Repository } from '../repos/repo.shape.ts'
import { listedByIds } from '../repos/repo-list-store.ts'
import { folderOf, repositoryById, type Repository as StoredRepository } from '../repos/repo-store.ts'
import { readerOf } from '../repos/visibility.ts'
import { type ComparedIn, type Comparison, compared, knownComparison, totalsOf } from './comparison.ts'
import { type PullRequest, printPull } from './pull.shape.ts'
import type { StoredPull } from './pull-store.ts'

/** What printing pull requests of the caller's repository takes from a request. */
export interface PrintContext {
  caller: Pick<OnRepository, 'me' | 'token' | 'subject'> & { repo: Pick<Repo, 'id' | 'name' | 'level'> }
  sql: Sql
  tools: { gitService: GitService }
  from: { host: string }
}

/** A pull request as the caller sees it, with the numbers of what it changes. @throws Problem 404, 503 */
export async function printedPull(context: PrintContext, row: StoredPull): Promise<PullRequest> {
  const [one] = await printedPulls(context, [row], { withTotals: true })
  return found(one)
}

/**
 * Pull requests as the caller sees them; for events, with users as anonymous callers see them. @throws Problem 404, 503
 */
export async function printedPulls(
  context: PrintContext,
  rows: readonly StoredPull[],
  { withTotals = false, isForEvent = false } = {},
): Promise<PullRequest[]> {
  if (rows.length === 0) return []
  const { caller, sql, from } = context
  const base = found(await repositoryById(sql, caller.repo.id))
  const at = openedIn(context, base)
  // Events are emitted in a transaction.
  const commits = await baseCommits(isForEvent ? inTransaction(at.repository) : at.repository, rows)
  const comparisons = await comparisonsOf(at, rows, { commits, isForEvent })
  const people = await peopleIn(sql, [...rows, ...rows.flatMap(accountsOf), { poster_id: base.owner_id }])
  // A shared read prints what it reads itself: the caller was read for a request that may have come before a change.
  const owner = people.get(base.owner_id) ?? caller.subject
  const heads = await headsOf(context, { base, owner }, rows)
  const teams = await teamsIn(context, rows)
  const view = {
    owner,
    repo: caller.repo,
    viewer: isForEvent ? undefined : caller.me,
    host: from.host,
  }
  const printed: PullRequest[] = []
  for (const row of rows) {
    const comparison = comparisons.get(row.id)
    const mergeBase = comparison?.mergeBase ?? row.merge_base
    const pair = { base: mergeBase, head: row.head_commit }
    printed.push(
      printPull(row, printIssue(row, people, view), {
        base: { commit: commits.get(row.base_branch) ?? '', repo: found(heads.get(base.id)) },
        headRepo: row.head_repository_id === null ? undefined : heads.get(row.head_repository_id),
        mergeBase,
        isMergeable: row.merged_at !== null || isClean(comparison),
        merger: row.merged_at === null ? null : personOf(row.merged_by, people, context),
        reviewers: row.requested_reviewers.map((id) => personOf(id, people, context)),
        teams: row.requested_teams.flatMap((id) => teams.get(id) ?? []),
        totals: withTotals && mergeBase !== '' ? await totalsOf(at, pair) : undefined,
      }),
    )
  }
  return printed
}

const accountsOf = ({ merged_by, requested_reviewers }: StoredPull) =>
  [merged_by, ...requested_reviewers].map((poster_id) => ({ poster_id }))

const isClean = (comparison: Comparison | undefined) =>
  comparison?.mergeBase !== undefined && comparison.conflicts?.length === 0

/** The base repository on disk. Its comparisons serve all who wait, so that they do not end with one client. */
export function openedIn({ tools }: Pick<PrintContext, 'tools'>, row: StoredRepository): ComparedIn {
  const { repositories } = tools.gitService
  return { repositories, repository: found(repositories.open(folderOf(row))), id: row.id }
}

/** The commits of the base branches, by name; a branch that is gone has none. */
async function baseCommits(
  repository: OpenRepository,
  rows: readonly StoredPull[],
): Promise<Map<string, string>> {
  const commits = new Map<string, string>()
  for (const branch of new Set(rows.map(({ base_branch }) => base_branch))) {
    const commit = gitValue(await resolveRef(repository, `refs/heads/${branch}`))
    if (commit !== undefined) commits.set(branch, commit)
  }
  return commits
}

/** The comparisons of those that are not merged and whose base exists, by id. */
async function comparisonsOf(
  at: ComparedIn,
  rows: readonly StoredPull[],
  { commits, isForEvent }: { commits: ReadonlyMap<string, string>; isForEvent: boolean },
): Promise<Map<number, Comparison>> {
  const pairs = rows.flatMap(({ id, base_branch, head_commit, merged_at }) => {
    const base = commits.get(base_branch)
    return base === undefined || merged_at !== null ? [] : [{ id, base, head: head_commit }]
  })
  // Events are emitted in transactions, which do not wait for git.
  const all = isForEvent ? pairs.map((pair) => knownComparison(at, pair)) : await compared(at, pairs)
  return new Map(pairs.flatMap(({ id }, place) => (all[place] ? [[id, all[place]] as const] : [])))
}

/** The base repository and those of the heads that the caller may read, by id. */
async function headsOf(
  { caller, sql, from: { host } }: PrintContext,
  { base, owner }: { base: StoredRepository; owner: Account },
  rows: readonly StoredPull[],
): Promise<Map<number, Repository>> {
  const known = caller.me !== undefined
  const ids = rows.flatMap(({ head_repository_id: id }) => (id === null || id === base.id ? [] : [id]))
  const others = ids.length === 0 ? [] : await listedByIds(sql, readerOf(caller), [...new Set(ids)])
  const all = [...others, { row: base, owner, level: caller.repo.level }]
  const parents = await printedParents(sql, caller, { rows: all.map(({ row }) => row), host })
  const views = all.map(({ row, owner, level }) => {
    const parent = parents.get(row.parent_id)
    return [row.id, printRepository(row, owner, { host, level, known, parent })] as const
  })
  return new Map(views)
}

const personOf = (id: number | null, people: People, { caller, from }: PrintContext): User =>
  printUser((id !== null && people.get(id)) || ghost, caller.me, from.host)

/** The teams that are asked for reviews, by id. */
async function teamsIn({ sql, from }: PrintContext, rows: readonly StoredPull[]): Promise<Map<number, Team>> {
  const ids = rows.flatMap(({ requested_teams }) => requested_teams)
  const teams = ids.length === 0 ? [] : await teamsByIds(sql, [...new Set(ids)])
  return new Map(teams.map((team) => [team.id, printTeam(team, from.host)]))
}
