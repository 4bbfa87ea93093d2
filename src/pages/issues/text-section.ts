import type { Comment, Issue } from '../../forge/issues/issue.shape.ts'
import { type Html, html, type Piece, timeOf } from '../html.ts'
import { fileList, pictureList } from '../releases/file-list.ts'
import { type RenderContext, rendered } from '../rendered.ts'
import type { TextPlace } from './issue-context.ts'
import { type CountedReaction, reactionsOf } from './reactions.ts'
import { type Ticking, withTasks } from './tasks.ts'

/** A text of an issue, and what surrounds it. */
interface TextParts {
  id: string
  place: TextPlace
  /** What the page has left for all its texts. */
  budget: { left: number; until: number }
  reactions: readonly CountedReaction[]
  /** Where reactions are sent; absent: the reader cannot react. */
  reacting?: { address: string; comment: number | undefined } | undefined
  /** Where the boxes of tasks are sent; absent: the reader cannot change the text. */
  ticking?: Ticking | undefined
  /** What its author did with it; absent: wrote it. */
  deed?: Piece
  /** Below it. */
  details?: Piece
  /** Links and forms about it. */
  actions?: Piece
}

/** The text of an issue or a comment, with who wrote it and how others reacted. */
export async function textSection(
  context: RenderContext,
  {
    user,
    body,
    assets,
    created_at,
    updated_at,
  }: Pick<Comment | Issue, 'user' | 'body' | 'assets' | 'created_at' | 'updated_at'>,
  { id, place, budget, reactions, reacting, ticking, deed, details, actions }: TextParts,
): Promise<Html> {
  const isShown = body.length <= budget.left
  if (isShown) budget.left -= body.length
  const isTimely = performance.now() < budget.until
  const text =
    isShown && isTimely ? await rendered(context, { text: body, mode: 'comment', ...place }) : undefined
  const content = !isShown
    ? html`<p class="empty">This page has no room for this text; the API has it.</p>`
    : body.trim() === ''
      ? empty(deed)
      : text === undefined
        ? html`<p class="prose-text">${body}</p>`
        : ticking
          ? withTasks(text, { body, ...ticking })
          : text
  return html`<article class="card rendered" id="${id}" aria-label="By ${user.login}">
<div class="meta text-head"><span><a href="${user.html_url}">${user.login}</a>${deed === undefined ? undefined : html` ${deed}`} ${timeOf(created_at)}${updated_at === created_at ? undefined : html` · changed ${timeOf(updated_at)}`}</span>${actions}</div>
${content}
${pictureList(assets, body)}
${fileList(assets)}
${details}
${reactionsOf(reactions, reacting)}
</article>`
}

/** What is done with a text may say enough without it. */
const empty = (deed: Piece) => (deed === undefined ? html`<p class="empty">No text.</p>` : undefined)
