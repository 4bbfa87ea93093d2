import { LEVELS } from '../../forge/permissions/access-level-store.ts'
import type { StoredPull } from '../../forge/pulls/pull-store.ts'
import { type ReviewState, reviewsByIds, type StoredReview } from '../../forge/pulls/reviews/review-store.ts'
import type { TimelineComment } from '../../forge/timeline/timeline.shape.ts'
import { buttonForm, field, opened, opener } from '../form.ts'
import { type Html, html, type Piece } from '../html.ts'
import type { EventText } from '../issues/conversation.ts'
import { addressesOf, type IssueContext } from '../issues/issue-context.ts'
import { rightsOn } from '../issues/rights.ts'
import { threadsOfReviews } from './threads.ts'

/** What a review says, in a sentence that its author begins. */
const deeds: Readonly<Record<ReviewState, Piece>> = {
  approve: html`<span class="badge state good">approved</span> this`,
  reject: html`<span class="badge state bad">asks for changes</span>`,
  comment: 'reviewed this',
  pending: 'began a review',
  request: 'asked for a review',
}

/** The reviews among the entries of a conversation, with what they say, by the ids of the entries. */
export async function reviewTexts(
  context: IssueContext,
  pull: StoredPull,
  entries: readonly TimelineComment[],
): Promise<ReadonlyMap<number, EventText>> {
  const submitted = entries.filter(({ type }) => type === 'review')
  if (submitted.length === 0) return new Map()
  const rows = await reviewsByIds(
    context.sql,
    submitted.map(({ review_id }) => review_id),
  )
  const reviews = new Map(rows.map((row) => [row.id, row]))
  const threads = await threadsOfReviews(context, pull, [...reviews.keys()])
  return new Map(
    submitted.flatMap(({ id, body, review_id }) => {
      const review = reviews.get(review_id)
      return review ? [[id, { ...textOf(context, pull, review, threads.get(review_id)), body }] as const] : []
    }),
  )
}

function textOf(
  context: IssueContext,
  pull: StoredPull,
  review: StoredReview,
  threads: Html | undefined,
): Omit<EventText, 'body'> {
  const { is_stale, is_dismissed } = review
  const notes = [is_dismissed && 'dismissed', is_stale && 'of an earlier state'].filter(
    (note) => note !== false,
  )
  return {
    deed: html`${deeds[review.state]}${notes.map((note) => html` <span class="badge">${note}</span>`)}`,
    details: threads,
    actions: dismissal(context, pull, review),
  }
}

/** The form with which administrators let a decision not count any more, or count again. */
function dismissal(
  context: IssueContext,
  pull: StoredPull,
  { id, state, is_dismissed }: StoredReview,
): Html | undefined {
  const { caller } = context
  const decides = state === 'approve' || state === 'reject'
  const mayDismiss = rightsOn(caller).takesPart && caller.repo.level >= LEVELS.admin
  if (!decides || !mayDismiss || pull.closed_at !== null) return undefined
  const { address } = addressesOf(context, pull)
  if (is_dismissed)
    return buttonForm(address, 'Count it again', 'Count it again', {
      action: 'undismiss',
      review: id,
    })
  return opener(
    'Dismiss',
    'Dismiss this review',
    html`${opened(address, { action: 'dismiss', review: id })}
${field({ name: 'message', id: `dismiss-${id}`, label: 'Why it does not count', isOptional: true })}
<button class="small">Dismiss it</button></form>`,
  )
}
