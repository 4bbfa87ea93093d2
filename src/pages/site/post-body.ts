import type { StoredPost } from '../../site/news-store.ts'
import { type Html, html } from '../html.ts'
import { markupOf } from '../rendered.ts'
import type { PageTools } from '../route.ts'

/** What showing a post needs of a request. */
export interface PostContext {
  tools: Pick<PageTools, 'renderer'>
  /** `gone`: when nobody waits for it any more; absent: others share the answer, so that it is rendered to the end. */
  from: { host: string; gone?: AbortSignal }
}

/**
 * The content of a post as pages show it: Markdown as the renderer makes it, with a line break for each line, or the text
 * unchanged. It mentions nobody: posts are for readers who need not know the accounts of this server.
 */
export async function postBody(
  { tools, from: { host, gone } }: PostContext,
  { content, format }: Pick<StoredPost, 'content' | 'format'>,
): Promise<Html> {
  const plain = html`<p class="prose-text" dir="auto">${content}</p>`
  if (format === 'plain') return plain
  const request = {
    text: content,
    mode: 'comment',
    context: '',
    filePath: '',
    host,
    knownAccounts: [],
    wiki: false,
    decorate: true,
  }
  const markup = markupOf(await tools.renderer.render(request, everybody, gone))
  return markup ? html`<div class="rendered">${markup}</div>` : plain
}

/** Whose turn it is to use the rendering threads: no account. */
const everybody = 0
