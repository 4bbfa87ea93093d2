import type { StoredPull } from '../../forge/pulls/pull-store.ts'
import type { PullReviewComment } from '../../forge/pulls/reviews/review.shape.ts'
import { commentsOfReviews, type SeenReviewComment } from '../../forge/pulls/reviews/review-comment-store.ts'
import { printedReviewComments } from '../../forge/pulls/reviews/review-view.ts'
import { found } from '../../http/route/problem.ts'
import { askedForm, buttonForm, hiddenFields, opener } from '../form.ts'
import { type Html, html, withQuery } from '../html.ts'
import { textField } from '../issues/comment-form.ts'
import { type IssueContext, textPlaceOf } from '../issues/issue-context.ts'
import { textSection } from '../issues/text-section.ts'
import { fieldsOf } from '../operations/fields.ts'
import { newFormId } from '../operations/once.ts'
import { type Reviewed, reviewedOn } from './review-context.ts'

/** A conversation about a line: a comment, and the replies to it. */
export interface Thread {
  first: SeenReviewComment
  comments: readonly SeenReviewComment[]
}

/** Comments of the same review on the same line; they are ordered by their age. */
export function threadsIn(comments: readonly SeenReviewComment[]): Thread[] {
  const threads = new Map<string, SeenReviewComment[]>()
  for (const comment of comments) {
    const { review_id, path, line, is_old, commit_id } = comment
    const key = JSON.stringify([review_id, path, line, is_old, commit_id])
    threads.set(key, [...(threads.get(key) ?? []), comment])
  }
  return [...threads.values()].map((all) => ({ first: found(all[0]), comments: all }))
}

/** How many comments of reviews a page of a conversation shows. */
const maxComments = 300

/** The conversations that reviews have begun, by their ids, for the page that tells what happened to a pull request. */
export async function threadsOfReviews(
  context: IssueContext,
  row: StoredPull,
  reviews: readonly number[],
): Promise<ReadonlyMap<number, Html>> {
  const account = context.caller.me?.id
  const comments = await commentsOfReviews(context.sql, { account, reviews }, maxComments)
  const reviewed = await reviewedOn(context, row, { page: '' })
  const threads = threadsIn(comments)
  const sections = await threadSections(reviewed, threads)
  const shown = new Map<number, Html[]>()
  for (const [at, { first }] of threads.entries())
    shown.set(first.review_id, [...(shown.get(first.review_id) ?? []), found(sections[at])])
  return new Map([...shown].map(([review, sections]) => [review, html`${sections}`]))
}

/** Conversations as sections. `isAtLine`: they stand below their lines. */
export async function threadSections(
  reviewed: Reviewed,
  threads: readonly Thread[],
  { isAtLine = false } = {},
): Promise<Html[]> {
  const { context, row } = reviewed
  const rows = threads.flatMap(({ comments }) => comments)
  const printed = await printedReviewComments(context, row.number, rows)
  const byId = new Map(printed.map((each) => [each.id, each]))
  const sections: Html[] = []
  for (const thread of threads) sections.push(await threadSection(reviewed, thread, { byId, isAtLine }))
  return sections
}

interface ThreadView {
  byId: ReadonlyMap<number, PullReviewComment>
  isAtLine: boolean
}

async function threadSection(
  reviewed: Reviewed,
  thread: Thread,
  { byId, isAtLine }: ThreadView,
): Promise<Html> {
  const { first, comments } = thread
  const texts: Html[] = []
  for (const comment of comments)
    texts.push(await commentSection(reviewed, comment, found(byId.get(comment.id))))
  const { resolver } = found(byId.get(first.id))
  const place = `${first.path}, line ${first.line}${first.is_old ? ' before the change' : ''}`
  const content = html`${isAtLine ? undefined : placeOf(reviewed, first, place)}
${texts}
${answers(reviewed, first, resolver !== null)}`
  const attributes = html`class="thread" id="thread-${first.id}" aria-label="Conversation on ${place}"`
  return resolver === null
    ? html`<section ${attributes}>${content}</section>`
    : html`<section ${attributes}><details><summary>Resolved by ${resolver.login}${isAtLine ? undefined : `: ${place}`}</summary>
${content}</details></section>`
}

/** Where the line is, as far as the page does not show it. */
function placeOf(
  { address, page }: Reviewed,
  { id, path, hunk, is_outdated }: SeenReviewComment,
  place: string,
): Html {
  const link = `${withQuery(`${address}/files`, { path })}#thread-${id}`
  return html`<p class="meta">${page === 'files' ? place : html`<a href="${link}">${place}</a>`}${is_outdated ? html` <span class="badge">outdated</span>` : undefined}</p>
${hunk === '' ? undefined : html`<pre class="diff" tabindex="0" role="region" aria-label="The lines that ${id} is about">${hunk.split('\n').slice(1).map(hunkLine)}</pre>`}`
}

const kinds: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed' }
const hunkLine = (line: string) => {
  const kind = kinds[line.charAt(0)]
  return html`<span${kind && html` class="${kind}"`}>${line}\n</span>`
}

function commentSection(
  { context, address, rights, page, place, budget }: Reviewed,
  { id, is_draft, poster_id }: SeenReviewComment,
  printed: PullReviewComment,
): Promise<Html> {
  const isOwn = context.caller.me !== undefined && context.caller.me.id === poster_id
  const mayChange = rights.writes || (rights.reviews && isOwn)
  const fields = { action: 'delete-comment', comment: id, from: page, ...place }
  const actions = html`<span class="row-actions"><a href="${address}/comments/${id}/edit" aria-label="Edit the comment">Edit</a> ${askedForm(
    {
      address: `${address}/files`,
      text: 'Delete',
      label: 'Delete the comment',
      question: 'Nobody can undo this.',
      answer: 'Delete the comment',
      fields,
    },
  )}</span>`
  return textSection(
    context,
    { ...printed, assets: [] },
    {
      id: `issuecomment-${id}`,
      place: textPlaceOf(context.caller),
      budget,
      reactions: [],
      ...(is_draft && { deed: html`<span class="badge">pending: only you see it</span>` }),
      actions: mayChange ? actions : undefined,
      ticking: mayChange
        ? { address: `${address}/files`, comment: id, more: { from: page, ...place } }
        : undefined,
    },
  )
}

/** The form for a reply, and the button that resolves a conversation; a draft has neither. */
function answers(
  reviewed: Reviewed,
  { id, is_draft }: SeenReviewComment,
  isResolved: boolean,
): Html | undefined {
  if (is_draft) return undefined
  const { address, rights, page, place, values, refusal } = reviewed
  const to = `${address}/files`
  const isRefused = values.action === 'reply' && values.comment === String(id)
  const text = fieldsOf(isRefused ? values : {}, isRefused ? refusal : undefined)('body')
  const form = html`<form method="post" action="${to}" data-then="#thread-${id}">
${hiddenFields({ action: 'reply', comment: id, from: page, ...place, ...newFormId() })}
${textField(reviewed.context, { ...text, id: `reply-${id}`, label: 'Your reply', rows: 4 })}
<button class="small">Reply</button></form>`
  const [action, name] = isResolved ? ['unresolve', 'Not resolved'] : ['resolve', 'Resolve']
  const replying = isRefused ? form : opener('Reply', 'Reply to this', form)
  return html`<div class="actions">${rights.reviews ? replying : undefined}${rights.resolves ? buttonForm(to, name, `${name}: the conversation`, { action, comment: id, from: page, ...place }) : undefined}</div>`
}
