import type { Sql, Tx } from '../../../db/sql.ts'
import type { OpenRepository } from '../../../git/program/git.ts'
import { readObject } from '../../../git/repository/objects.ts'
import { pathsOfMove } from '../../../git/repository/received.ts'
import { resolveRef } from '../../../git/repository/revisions.ts'
import { accountByName } from '../../accounts/account-store.ts'
import { teamByName } from '../../orgs/team-store.ts'
import { gitValue } from '../../repos/code.ts'
import type { Repository } from '../../repos/repo-store.ts'
import type { PullEventContext } from '../pull-events.ts'
import { pullById, type StoredPull } from '../pull-store.ts'
import { ask, type Reviewer } from './asking.ts'
import { ownersOf, ownersRules } from './owners-file.ts'
import { canReview, hasReviewOf, teamCanReview } from './review-store.ts'

/** Asks the owners of changed files for reviews, as `CODEOWNERS` on the default branch names them. */

/** Where the file is; the first one counts. */
const places = ['CODEOWNERS', 'docs/CODEOWNERS', '.gitea/CODEOWNERS'] as const
/** Maximum bytes of the file that are read. */
const maxBytes = 256 * 1024
/** Maximum owners that are asked at a time. */
const maxOwners = 100

/** The two commits between which a pull request changes files. */
interface Span {
  /** The best common ancestor; "": none. */
  base: string
  head: string
}

/** The base repository, with its row. */
interface OwnedCode {
  row: Pick<Repository, 'owner_id' | 'default_branch' | 'parent_id'>
  repository: OpenRepository
}

/**
 * The owners of what a pull request changes, without what it has changed `before`. A fork has the file of its parent, and asks
 * nobody.
 * @throws Problem 503
 */
export async function codeOwners(
  sql: Sql,
  { row, repository }: OwnedCode,
  span: Span,
  before?: Span,
): Promise<Reviewer[]> {
  if (row.parent_id !== null || span.base === '') return []
  const rules = ownersRules(await ownersText(repository, row.default_branch))
  if (rules.length === 0) return []
  const known = new Set(before ? await pathsIn(repository, before) : [])
  const paths = (await pathsIn(repository, span)).filter((path) => !known.has(path))
  const names = (await ownersOf(rules, paths)).slice(0, maxOwners)
  const reviewers = await Promise.all(names.map((name) => reviewerNamed(sql, row.owner_id, name)))
  return reviewers.filter((reviewer) => reviewer !== undefined)
}

async function ownersText(repository: OpenRepository, branch: string): Promise<string> {
  const commit = gitValue(await resolveRef(repository, `refs/heads/${branch}`))
  if (commit === undefined) return ''
  for (const place of places) {
    const object = gitValue(await readObject(repository, `${commit}:${place}`, maxBytes))
    if (object?.type === 'blob') return object.content.toString('utf8')
  }
  return ''
}

const pathsIn = async (repository: OpenRepository, { base, head }: Span): Promise<string[]> =>
  base === '' ? [] : gitValue(await pathsOfMove(repository, { before: base, after: head }))

/** A user, or a team of the owner of the repository; undefined: there is none. */
async function reviewerNamed(sql: Sql, owner: number, name: string): Promise<Reviewer | undefined> {
  const [organization = '', team] = name.split('/')
  const account = await accountByName(sql, organization)
  if (team === undefined) return account?.kind === 'person' ? { account } : undefined
  const found = account?.id === owner ? await teamByName(sql, owner, team) : undefined
  return found && { team: found }
}

/** Asks those who may review, and have neither opened the pull request nor reviewed it. */
export async function askOwners(
  tx: Tx,
  context: PullEventContext,
  issue: number,
  owners: readonly Reviewer[],
): Promise<void> {
  const pull = owners.length === 0 ? undefined : await pullById(tx, issue)
  if (!pull || pull.closed_at !== null) return
  for (const owner of owners) if (await canBeAsked(tx, pull, owner)) await ask(tx, context, pull, owner)
}

async function canBeAsked(tx: Tx, pull: StoredPull, owner: Reviewer): Promise<boolean> {
  if ('team' in owner) return teamCanReview(tx, pull.repository_id, owner.team.id)
  const { id } = owner.account
  if (id === pull.poster_id || !(await canReview(tx, pull.repository_id, id))) return false
  return !(await hasReviewOf(tx, pull.id, id))
}
