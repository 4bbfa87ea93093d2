import { type Comment, type Issue, printIssue } from '../../forge/issues/issue.shape.ts'
import type { StoredIssue } from '../../forge/issues/issue-store.ts'
import { viewOf } from '../../forge/issues/issue-view.ts'
import { peopleIn } from '../../forge/issues/people.ts'
import { countReactions } from '../../forge/issues/reaction-store.ts'
import type { OnRepository } from '../../forge/repos/access.ts'
import { timelineOf } from '../../forge/timeline/entries.ts'
import type { HandlerBase } from '../../http/route/route.ts'
import { askedForm, type Fields } from '../form.ts'
import { type Html, html } from '../html.ts'
import { pageLinks } from '../layout.ts'
import { noticeOf } from '../operations/fields.ts'
import type { Refusal } from '../operations/refusal.ts'
import { rendered } from '../rendered.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import type { PageTools } from '../route.ts'
import { aboutSection } from './about.ts'
import { commentForm } from './comment-form.ts'
import { eventLine } from './issue-event.ts'
import { issueParts } from './issue-parts.ts'
import { mayAnswer, mayEdit, type Rights, rightsOn } from './rights.ts'
import { type TextPlace, textSection } from './text-section.ts'

/** What the page of an issue needs of a request. */
export type IssueContext = HandlerBase<PageTools> & { caller: OnRepository }

/**
 * Comments and events on a page; characters of all their texts (the page leaves out others); milliseconds for rendering
 * (the page shows the remaining texts as they are).
 */
const maximum = { entries: 100, characters: 512 * 1024, milliseconds: 5_000 }

/** The page of an issue that has its entry with this place, counted from 1. */
export const pageWith = (place: number) => Math.max(1, Math.ceil(place / maximum.entries))

/** What a page shows beside what is stored. */
interface Shown {
  page?: number
  /** A form as it was sent. */
  values?: Fields
  refusal?: Refusal
  /** Whether the comment in `values` is shown as it will look. */
  isPreview?: boolean
}

/** The addresses of an issue: of its repository and of its page. */
export function addressesOf({ caller, from }: Pick<IssueContext, 'caller' | 'from'>, number: number) {
  const { owner, name } = caller.repo
  const home = `${from.host}${owner.name}/${name}`
  return { home, address: `${home}/issues/${number}` }
}

/** Where the texts of a repository lead, and whose turn it is to have them rendered. */
const textPlaceOf = ({ repo: { owner, name } }: OnRepository): TextPlace => ({
  context: `${owner.name}/${name}`,
  owner: owner.id,
})

/** The page of an issue with its comments, what else happened to it, and the forms that its reader may send. */
export async function issuePage(context: IssueContext, row: StoredIssue, shown: Shown): Promise<string> {
  const { caller, sql, from } = context
  const { host } = from
  const { page = 1, values = {}, refusal, isPreview } = shown
  const rights = rightsOn(caller)
  const paging = { page, limit: maximum.entries }
  const { sections, total } = await entriesOf(context, row, rights, paging)
  const issue = printIssue(row, await peopleIn(sql, [row]), viewOf(caller, host))
  const { home, address } = addressesOf(context, row.number)
  const parts = rights.writes ? await issueParts(sql, caller) : undefined
  const preview = isPreview ? await previewOf(context, values.body ?? '') : undefined
  const main = html`<h2>${issue.title} <span class="quiet-text">#${issue.number}</span> <span class="badge">${issue.state}</span></h2>
${noticeOf(undefined, refusal)}
<div class="panel">
<div class="column">${sections}
${pageLinks({ ...paging, total }, address, {}, ['Older entries', 'Newer entries'])}
${commentForm({ host, address, caller, issue, rights, values, refusal, preview })}</div>
${aboutSection({ home, address, issue, rights, parts })}
</div>`
  const title = `${issue.title} #${issue.number}`
  return repositoryPage({ host, sql, caller, current: 'issues', title, main })
}

/** The text of the issue on its first page, and a page of its comments and events. */
async function entriesOf(
  context: IssueContext,
  row: StoredIssue,
  rights: Rights,
  paging: { page: number; limit: number },
): Promise<{ sections: Html[]; total: number }> {
  const { caller, sql, from } = context
  const { rows, total } = await timelineOf(context, row, {}, paging)
  const comments = rows.flatMap(({ comment }) => comment?.id ?? [])
  const reactions = await countReactions(sql, { issue: row.id, comments, account: caller.me?.id })
  const { address } = addressesOf(context, row.number)
  const budget = { left: maximum.characters, until: performance.now() + maximum.milliseconds }
  const text = (item: Comment | Issue, comment?: number) =>
    textSection(context, item, {
      place: textPlaceOf(caller),
      budget,
      id: comment === undefined ? 'issue' : `issuecomment-${comment}`,
      reactions: reactions.filter((each) => each.comment === (comment ?? null)),
      reacting: mayAnswer(rights, row) ? { address, comment } : undefined,
      actions: mayEdit(rights, caller, item.user.id) ? actionsOn(address, comment) : undefined,
    })
  const people = await peopleIn(sql, [row])
  const sections = paging.page === 1 ? [await text(printIssue(row, people, viewOf(caller, from.host)))] : []
  for (const { entry, comment } of rows)
    sections.push(comment ? await text(comment, comment.id) : eventLine(entry))
  return { sections, total }
}

/** The links and forms about a text: the page that changes it, and the deletion of a comment. */
function actionsOn(address: string, comment: number | undefined): Html {
  if (comment === undefined) return html`<a href="${address}/edit">Edit</a>`
  return html`<a href="${address}/comments/${comment}/edit" aria-label="Edit the comment">Edit</a> ${askedForm(
    {
      address,
      text: 'Delete',
      label: 'Delete the comment',
      question: 'Nobody can undo this.',
      answer: 'Delete the comment',
      fields: { action: 'delete-comment', comment },
    },
  )}`
}

/** A text that was written, as it will look. */
export async function previewOf(context: IssueContext, text: string): Promise<Html> {
  const shown = await rendered(context, { text, mode: 'comment', ...textPlaceOf(context.caller) })
  return html`<section class="card rendered" aria-label="Preview" tabindex="-1" autofocus>
${text.trim() === '' ? html`<p class="empty">Nothing is written yet.</p>` : (shown ?? html`<p class="prose-text">${text}</p>`)}
</section>`
}
