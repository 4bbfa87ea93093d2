import { proposalIn } from '../../forge/pulls/proposal.ts'
import { pageOfReviews } from '../../forge/pulls/reviews/review-store.ts'
import { draftReader, printedReviews } from '../../forge/pulls/reviews/review-view.ts'
import { diffSections, type FileNotes, placesIn } from '../code/diff.ts'
import { type DifferenceQuery, readDifference, type ShownFile } from '../code/difference.ts'
import type { Fields } from '../form.ts'
import { type Html, html } from '../html.ts'
import type { IssueContext } from '../issues/issue-context.ts'
import { noticeOf } from '../operations/fields.ts'
import type { Refusal } from '../operations/refusal.ts'
import { pullPage, shownPull } from './frame.ts'
import { type CommentedLine, lineChooser, lineForm, placeNamed } from './line-form.ts'
import { type PlacedThread, placedThreads } from './placed-threads.ts'
import { placeIn } from './review-actions.ts'
import { type Reviewed, reviewedOn } from './review-context.ts'
import { reviewSection } from './review-form.ts'
import { threadSections } from './threads.ts'

/** How many reviews a page lists. */
const maxReviews = 100

export interface FilesQuery extends DifferenceQuery {
  /** The line at which a form is opened. */
  at: CommentedLine | undefined
}

interface Sent {
  values?: Fields
  refusal?: Refusal
}

/** The page of the files that a pull request changes, with the conversations about their lines. @throws Problem 404, 503 */
export async function filesPage(
  context: IssueContext,
  index: string,
  { at, ...query }: FilesQuery,
  { values, refusal }: Sent = {},
): Promise<string> {
  const { code, pull: row, span } = await proposalIn(context, index)
  const place = withoutDefaults(query)
  const reviewed = await reviewedOn(context, row, {
    page: 'files',
    place,
    ...(values && { values }),
    refusal,
  })
  const difference = await readDifference(
    code,
    { before: span.base, after: span.head },
    { ...query, path: query.path || at?.path || '' },
  )
  const { address } = reviewed
  const threads = await placedThreads(reviewed, code, span, difference)
  const { reviews, draft } = await reviewsOf(reviewed)
  const notes = new Map<number, FileNotes>()
  for (const file of difference.files) {
    const ofFile = threads.byFile.get(file.number) ?? []
    const line = at?.path === file.path ? at : undefined
    const form =
      line &&
      lineForm(reviewed, {
        at: line,
        previous: file.previous,
        head: span.head,
        hasDraft: draft !== undefined,
      })
    notes.set(file.number, await notesOn(reviewed, file, { threads: ofFile, line, form }))
  }
  const elsewhere = await threadSections(reviewed, threads.elsewhere)
  const isAtLine = values?.action === 'comment'
  const main = html`<div class="column">${isAtLine ? undefined : noticeOf(undefined, refusal)}
<p class="actions"><a class="button quiet small" href="#review">${draft ? `Your review (${draft.comments_count})` : 'Reviews'}</a></p>
${diffSections(difference, {
  address: `${address}/files`,
  query,
  source: `${code.home}/src/commit/${span.head}`,
  notesOf: ({ number }) => notes.get(number) ?? { below: new Map() },
})}
${threads.isCut ? html`<p class="meta">There are more comments than this page shows: see one file alone, or the conversation.</p>` : undefined}
${elsewhere.length === 0 ? undefined : html`<section class="card" aria-labelledby="elsewhere"><h2 id="elsewhere">On files that are not changed any more</h2>${elsewhere}</section>`}
${reviewSection(reviewed, { reviews, draft, head: span.head })}</div>`
  const shown = await shownPull(context, row)
  return pullPage(context, shown, { current: '/files', main, script: 'code' })
}

/** What forms need to find the page again. */
function withoutDefaults({ page, whitespace, only }: DifferenceQuery): Record<string, string> {
  const all = placeIn({ page: page === 1 ? '' : String(page), whitespace, only })
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
}

/** Submitted reviews and requests, and the draft of the reader. */
async function reviewsOf({ context, row }: Reviewed) {
  const { sql, caller } = context
  const reader = { ...draftReader(caller), seesAll: false }
  const { rows } = await pageOfReviews(sql, row.id, reader, { page: 1, limit: maxReviews })
  const all = await printedReviews(context, row.number, rows)
  return {
    reviews: all.filter(({ state }) => state !== 'PENDING'),
    draft: all.find(({ state }) => state === 'PENDING'),
  }
}

interface Noted {
  threads: readonly PlacedThread[]
  line: CommentedLine | undefined
  form: Html | undefined
}

/** What stands beside the lines of a file. */
async function notesOn(
  reviewed: Reviewed,
  file: ShownFile,
  { threads, line, form }: Noted,
): Promise<FileNotes> {
  const placed = threads.filter(({ place }) => place !== undefined)
  const rest = threads.filter(({ place }) => place === undefined)
  const below = new Map<string, Html>()
  const add = (place: string, section: Html | undefined) =>
    below.set(place, html`${below.get(place)}${section}`)
  const sections = await threadSections(reviewed, placed, { isAtLine: true })
  for (const [number, { place = '' }] of placed.entries()) add(place, sections[number])
  const isThere = line !== undefined && placesIn(file.lines ?? []).has(placeNamed(line))
  if (line && isThere) add(placeNamed(line), form)
  const id = `lines-${file.number}`
  const { reviews } = reviewed.rights
  return {
    below,
    tools: reviews ? lineChooser(reviewed, { path: file.path, id }) : undefined,
    rest: html`${isThere ? undefined : form}${await threadSections(reviewed, rest)}`,
    form: reviews ? id : undefined,
  }
}
