import type { StoredIssue } from '../../forge/issues/issue-store.ts'
import type { OnRepository } from '../../forge/repos/access.ts'
import type { HandlerBase } from '../../http/route/route.ts'
import { type Html, html } from '../html.ts'
import { rendered } from '../rendered.ts'
import type { PageTools } from '../route.ts'

/** What texts of a page are rendered with. */
export interface TextPlace {
  context: string
  owner: number
}

/** What the page of an issue or of a pull request needs of a request. */
export type IssueContext = HandlerBase<PageTools> & { caller: OnRepository }

/** The segment of the addresses of issues, or of pull requests; it is also the tab of their repository. */
export const segmentOf = ({ is_pull }: Pick<StoredIssue, 'is_pull'>) => (is_pull ? 'pulls' : 'issues')

/** The addresses of an issue or of a pull request: of its repository, of its page, and of the page that changes its text. */
export function addressesOf(
  { caller, from }: Pick<IssueContext, 'caller' | 'from'>,
  item: Pick<StoredIssue, 'number' | 'is_pull'>,
) {
  const { owner, name } = caller.repo
  const home = `${from.host}${owner.name}/${name}`
  return {
    home,
    address: `${home}/${segmentOf(item)}/${item.number}`,
    // Texts of both are changed alike.
    texts: `${home}/issues/${item.number}`,
  }
}

/** Where the texts of a repository lead, and whose turn it is to have them rendered. */
export const textPlaceOf = ({ repo: { owner, name } }: OnRepository): TextPlace => ({
  context: `${owner.name}/${name}`,
  owner: owner.id,
})

/** A text that was written, as it will look. */
export async function previewOf(context: IssueContext, text: string): Promise<Html> {
  const shown = await rendered(context, { text, mode: 'comment', ...textPlaceOf(context.caller) })
  return html`<section class="card rendered" aria-label="Preview" tabindex="-1" autofocus>
${text.trim() === '' ? html`<p class="empty">Nothing is written yet.</p>` : (shown ?? html`<p class="prose-text">${text}</p>`)}
</section>`
}
