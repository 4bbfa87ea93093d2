import { type Comment, type Issue, printIssue } from '../../forge/issues/issue.shape.ts'
import type { StoredIssue } from '../../forge/issues/issue-store.ts'
import { viewOf } from '../../forge/issues/issue-view.ts'
import { peopleIn } from '../../forge/issues/people.ts'
import { countReactions } from '../../forge/issues/reaction-store.ts'
import { timelineOf } from '../../forge/timeline/entries.ts'
import type { TimelineComment } from '../../forge/timeline/timeline.shape.ts'
import { markIssueRead } from '../../forge/watching/notification-store.ts'
import { isSubscribed as isSubscribedTo } from '../../forge/watching/watch-store.ts'
import { askedForm, type Fields } from '../form.ts'
import { type Html, html, type Piece } from '../html.ts'
import { pageLinks } from '../layout.ts'
import { noticeOf } from '../operations/fields.ts'
import type { Refusal } from '../operations/refusal.ts'
import { aboutSection } from './about.ts'
import { commentForm } from './comment-form.ts'
import { addressesOf, type IssueContext, previewOf, textPlaceOf } from './issue-context.ts'
import { eventLine } from './issue-event.ts'
import { issueParts } from './issue-parts.ts'
import { relatedFacts } from './related.ts'
import { mayAnswer, mayEdit, maySubscribe, type Rights, rightsOn } from './rights.ts'
import { textSection } from './text-section.ts'

/**
 * Comments and events on a page; characters of all their texts (the page leaves out others); milliseconds for rendering
 * (the page shows the remaining texts as they are).
 */
const maximum = { entries: 100, characters: 512 * 1024, milliseconds: 5_000 }

/** The page of an issue that has its entry with this place, counted from 1. */
export const pageWith = (place: number) => Math.max(1, Math.ceil(place / maximum.entries))

/** What a page shows beside what is stored. */
export interface Shown {
  page?: number
  /** Whether a script reads the page and nobody sees it yet. */
  isAhead?: boolean
  /** A form as it was sent. */
  values?: Fields
  refusal?: Refusal
  /** Whether the comment in `values` is shown as it will look. */
  isPreview?: boolean
}

/** An event that a page shows as a text: what somebody did with it, and what belongs to it. */
export interface EventText {
  deed: Piece
  body: string
  /** Below the text. */
  details?: Piece
  /** Links and forms about it. */
  actions?: Piece
}

/** What the page of a pull request has more than that of an issue. */
interface More {
  /** The events that are texts, by the ids of their entries. */
  textsOf?: (entries: readonly TimelineComment[]) => Promise<ReadonlyMap<number, EventText>>
  /** Above the form for a comment. */
  decision?: Html | undefined
  /** Changes with what else the reader wants to learn of. */
  version?: string
  /** Above what it has of an issue. */
  facts?: Html | undefined
}

/**
 * Who opens the page of an issue has read what is unread about it: gives the context with what is unread then. Of what comes
 * while the page is made, readers are told.
 */
export async function whenRead(
  context: IssueContext,
  issue: number,
  { isAhead }: Shown,
): Promise<IssueContext> {
  const { caller, begin } = context
  const { me, unread } = caller
  if (!me || unread === 0 || isAhead) return context
  const read = await begin((tx) => markIssueRead(tx, { account: me.id, issue }))
  // A hundred stands for more.
  return unread < 100 ? { ...context, caller: { ...caller, unread: unread - read } } : context
}

/** The comments on an issue, what else happened to it, and the forms that its reader may send. */
export async function conversation(
  context: IssueContext,
  row: StoredIssue,
  { page = 1, values = {}, refusal, isPreview }: Shown,
  { textsOf, decision, version, facts }: More = {},
): Promise<Html> {
  const { caller, sql, from } = context
  const { host } = from
  const rights = rightsOn(caller)
  const paging = { page, limit: maximum.entries }
  const { sections, total } = await entriesOf(context, row, { rights, paging, textsOf })
  const issue = printIssue(row, await peopleIn(sql, [row]), viewOf(caller, host))
  const { home, address } = addressesOf(context, row)
  const parts = rights.writes ? await issueParts(sql, caller) : undefined
  const preview = isPreview ? await previewOf(context, values.body ?? '') : undefined
  const related = await relatedFacts(context, row, rights.writes)
  const isSubscribed = maySubscribe(caller) ? await isSubscribedTo(sql, row.id, caller.me.id) : undefined
  const about = aboutSection({ home, address, issue, rights, parts, related, isSubscribed })
  return html`${noticeOf(undefined, refusal)}
<div class="panel">
<div class="column">${sections}
${pageLinks({ ...paging, total }, address, {}, ['Older entries', 'Newer entries'])}
${decision}
<p class="live run-live" role="status" id="news" data-version="${[row.updated_at, total, version].join(' ')}"></p>
${commentForm({ host, tools: context.tools, address, caller, issue, rights, values, refusal, preview })}</div>
${facts ? html`<div class="column first-on-phones">${facts}${about}</div>` : about}
</div>`
}

interface EntriesParts {
  textsOf: More['textsOf'] | undefined
  rights: Rights
  paging: { page: number; limit: number }
}

/** The text of the issue on its first page, and a page of its comments and events. */
async function entriesOf(
  context: IssueContext,
  row: StoredIssue,
  { rights, paging, textsOf }: EntriesParts,
): Promise<{ sections: Html[]; total: number }> {
  const { caller, sql, from } = context
  const { rows, total } = await timelineOf(context, row, {}, paging)
  const comments = rows.flatMap(({ comment }) => comment?.id ?? [])
  const reactions = await countReactions(sql, { issue: row.id, comments, account: caller.me?.id })
  const { address, texts } = addressesOf(context, row)
  const budget = { left: maximum.characters, until: performance.now() + maximum.milliseconds }
  const shared = { place: textPlaceOf(caller), budget }
  const text = (item: Comment | Issue, comment?: number) => {
    const isEditable = mayEdit(rights, caller, item.user.id)
    return textSection(context, item, {
      ...shared,
      id: comment === undefined ? 'issue' : `issuecomment-${comment}`,
      reactions: reactions.filter((each) => each.comment === (comment ?? null)),
      reacting: mayAnswer(rights, row) ? { address, comment } : undefined,
      ticking: isEditable ? { address, comment } : undefined,
      actions: isEditable ? actionsOn({ address, texts }, comment) : undefined,
    })
  }
  const people = await peopleIn(sql, [row])
  const issue = printIssue(row, people, viewOf(caller, from.host))
  // An issue is also changed by what others do with it.
  const sections = paging.page === 1 ? [await text({ ...issue, updated_at: issue.created_at })] : []
  const events = await textsOf?.(rows.map(({ entry }) => entry))
  for (const { entry, comment } of rows) {
    const event = events?.get(entry.id)
    if (comment) sections.push(await text(comment, comment.id))
    else if (event) sections.push(await eventText(context, entry, event, shared))
    else sections.push(eventLine(entry))
  }
  return { sections, total }
}

const eventText = (
  context: IssueContext,
  { id, user, created_at }: TimelineComment,
  { body, ...event }: EventText,
  shared: Pick<Parameters<typeof textSection>[2], 'place' | 'budget'>,
) =>
  textSection(
    context,
    { user, body, assets: [], created_at, updated_at: created_at },
    { ...shared, id: `issuecomment-${id}`, reactions: [], ...event },
  )

/** The links and forms about a text: the page that changes it, and the deletion of a comment. */
function actionsOn(
  { address, texts }: { address: string; texts: string },
  comment: number | undefined,
): Html {
  if (comment === undefined) return html`<a href="${texts}/edit">Edit</a>`
  return html`<a href="${texts}/comments/${comment}/edit" aria-label="Edit the comment">Edit</a> ${askedForm({
    address,
    text: 'Delete',
    label: 'Delete the comment',
    question: 'Nobody can undo this.',
    answer: 'Delete the comment',
    fields: { action: 'delete-comment', comment },
  })}`
}
