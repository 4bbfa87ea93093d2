import type { PullReview } from '../../forge/pulls/reviews/review.shape.ts'
import { askedForm, hiddenFields } from '../form.ts'
import { counted, type Html, html, timeOf } from '../html.ts'
import { textField } from '../issues/comment-form.ts'
import { rowOf } from '../list.ts'
import { fieldsOf } from '../operations/fields.ts'
import { newFormId } from '../operations/once.ts'
import type { Reviewed } from './review-context.ts'

/** The reviews of a pull request, and the form that submits one's own. */
export function reviewSection(
  reviewed: Reviewed,
  { reviews, draft, head }: { reviews: readonly PullReview[]; draft: PullReview | undefined; head: string },
): Html {
  return html`<section class="card" id="review" aria-labelledby="reviews">
<h2 id="reviews">Reviews</h2>
${reviews.length === 0 ? html`<p class="empty">Nobody has reviewed this yet.</p>` : html`<ul class="list">${reviews.map((each) => reviewEntry(reviewed, each))}</ul>`}
${reviewed.rights.reviews ? ownReview(reviewed, draft, head) : undefined}
</section>`
}

const deeds: Readonly<Record<PullReview['state'], readonly [string, string]>> = {
  APPROVED: ['approved', ' good'],
  REQUEST_CHANGES: ['requested changes', ' bad'],
  COMMENT: ['commented', ''],
  PENDING: ['pending', ''],
  REQUEST_REVIEW: ['asked', ''],
}

function reviewEntry(reviewed: Reviewed, review: PullReview): Html {
  const { user, team, state, stale, official, dismissed, submitted_at, html_url, comments_count } = review
  const { context, rights } = reviewed
  const [deed, tone] = deeds[state]
  const isOwn = rights.reviews && state !== 'REQUEST_REVIEW' && user?.id === context.caller.me?.id
  const name = user ? html`<a href="${user.html_url}">${user.login}</a>` : html`the team ${team?.name}`
  const notes = [
    comments_count > 0 && counted(comments_count, 'comment'),
    stale && 'before the newest commits',
    dismissed && 'dismissed',
    official && !dismissed && 'counts for the merge',
  ].filter((note) => note !== false)
  const time =
    html_url === '' ? timeOf(submitted_at) : html`<a href="${html_url}">${timeOf(submitted_at)}</a>`
  return rowOf(
    html`${name} <span class="badge${dismissed ? '' : tone}">${deed}</span>`,
    html`${notes.map((note) => `${note} · `)}${time}`,
    isOwn ? deletion(reviewed, review.id, 'Delete my review') : undefined,
  )
}

const deletion = ({ address, place }: Reviewed, review: number, text: string): Html =>
  askedForm({
    address: `${address}/files`,
    text,
    question: 'Its comments are deleted, too. Nobody can undo this.',
    answer: 'Delete the review',
    fields: { action: 'delete-review', review, ...place },
  })

/** The form of one's own review, with what waits in it. */
function ownReview(reviewed: Reviewed, draft: PullReview | undefined, head: string): Html {
  const { context, row, address, place, values, refusal } = reviewed
  const isSent = values.action === 'review'
  const stored = { body: draft?.body }
  const text = fieldsOf(isSent ? values : stored, isSent ? refusal : undefined)('body')
  const mayDecide = row.poster_id !== context.caller.me?.id && row.closed_at === null
  const decisions = html` <button class="quiet" name="event" value="APPROVED">Approve</button> <button class="quiet" name="event" value="REQUEST_CHANGES">Request changes</button>`
  const commit = isSent ? (values.commit ?? head) : head
  return html`<h3>Your review</h3>
${draft === undefined ? undefined : html`<p>${counted(draft.comments_count, 'pending comment')}, which only you see until you send the review. ${deletion(reviewed, draft.id, 'Delete my pending review')}</p>`}
<form method="post" action="${address}/files" data-then="#review">
${hiddenFields({ action: 'review', commit, ...place, ...newFormId() })}
${textField(context, { ...text, id: 'review-body', label: 'What you think of it', rows: 5, isOptional: true, hint: 'Changes are requested with a reason.' })}
<div class="actions"><button name="event" value="COMMENT">Comment</button>${mayDecide ? decisions : undefined}</div>
</form>`
}
