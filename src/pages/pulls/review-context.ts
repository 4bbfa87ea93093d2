import { permits } from '../../forge/auth/scopes.ts'
import { LEVELS } from '../../forge/permissions/access-level-store.ts'
import type { StoredPull } from '../../forge/pulls/pull-store.ts'
import { isOfficialReviewer } from '../../forge/pulls/reviews/official.ts'
import type { Fields } from '../form.ts'
import { addressesOf, type IssueContext } from '../issues/issue-context.ts'
import type { Refusal } from '../operations/refusal.ts'

/** Which forms about reviews a page offers its reader; the operations behind them decide. */
interface ReviewRights {
  /** Reviews and answers. */
  reviews: boolean
  /** Changes and deletes what others have written. */
  writes: boolean
  /** Resolves conversations. */
  resolves: boolean
}

/** A pull request whose reviews a page shows. */
export interface Reviewed {
  context: IssueContext
  row: StoredPull
  /** The address of its page. */
  address: string
  rights: ReviewRights
  /** The page on which forms stand, and to which they lead back: "" for the conversation. */
  page: '' | 'files'
  /** The hidden fields by which they find the same part of that page again. */
  place: Readonly<Record<string, string>>
  /** The form as it was sent, and why it was refused. */
  values: Fields
  refusal: Refusal | undefined
  /** What the page has left for texts: characters, and time (of `performance.now`) for rendering them. */
  budget: { left: number; until: number }
}

type Page = Pick<Reviewed, 'page'> & Partial<Pick<Reviewed, 'place' | 'values' | 'refusal'>>

export async function reviewedOn(
  context: IssueContext,
  row: StoredPull,
  { page, place = {}, values = {}, refusal }: Page,
): Promise<Reviewed> {
  const { address } = addressesOf(context, row)
  const budget = { left: 256 * 1024, until: performance.now() + 5_000 }
  const rights = await rightsOf(context, row)
  return { context, row, address, rights, page, place, values, refusal, budget }
}

async function rightsOf({ caller, sql }: IssueContext, row: StoredPull): Promise<ReviewRights> {
  const { me, token, repo } = caller
  const isThere =
    me !== undefined && !repo.is_archived && (!token || permits(token.scopes, ['repository'], 'write'))
  const writes = isThere && repo.level >= LEVELS.write
  return {
    reviews: writes || (isThere && !row.is_locked),
    writes,
    resolves: writes || (isThere && (row.poster_id === me.id || (await isOfficialReviewer(sql, row, me.id)))),
  }
}
