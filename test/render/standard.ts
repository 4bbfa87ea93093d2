import { parseContext } from '../../src/render/context.ts'
import { sanitize } from '../../src/render/html/sanitize.ts'
import { serialize } from '../../src/render/html/serialize.ts'
import { parseHtml } from '../../src/render/html/tree.ts'
import { prefixIds, prefixIdsAndFragments } from '../../src/render/markdown/headings.ts'
import { createLinks } from '../../src/render/markdown/links.ts'
import { resolveLinks } from '../../src/render/markdown/resolve.ts'
import { render } from '../../src/render/render.ts'
import { html, requestOf } from './request.ts'

/** The modes that read the standard's syntax and keep its line ends. */
export type StandardMode = 'markdown' | 'gfm'

/** A text in one mode as the standard would write it. */
export const ours = (markdown: string, mode: StandardMode) =>
  withoutFrame(html(render(requestOf(markdown, { mode }))))

/** HTML of another parser, in the spelling of this server's serializer. */
export const spelled = (standard: string, mode: StandardMode) =>
  serialize(parseHtml(standard), mode === 'gfm')

/** HTML of another parser, reduced to what the sanitiser allows. */
export function allowed(standard: string, mode: StandardMode): string {
  const rich = mode === 'gfm'
  return withoutFrame(serialize(sanitize(parseHtml(standard), { rich, bitmaps: false }), rich))
}

/**
 * The same with what a mode makes of names and links: names get a prefix, and in the mode `gfm` relative addresses lead
 * into the repository, images are links, and tags that would hide the text after them are shown.
 */
export function placed(standard: string, mode: StandardMode): string {
  const rich = mode === 'gfm'
  const shown = rich ? standard.replace(/<(?=\/?(?:script|style|html|head)\b|[?%])/gi, '&lt;') : standard
  const root = parseHtml(shown)
  const { host, context, filePath } = requestOf('')
  if (rich) {
    prefixIds(root)
    resolveLinks(root, createLinks(mode, parseContext(context, host, filePath), host))
  } else prefixIdsAndFragments(root)
  return withoutFrame(serialize(sanitize(root, { rich, bitmaps: false }), rich))
}

/** Without what is added everywhere: the frame around code, its colours, names of headings, the mark of foreign links. */
function withoutFrame(ours: string): string {
  return ours
    .replace(/<div(?: class="code-block-container[^"]*")?><pre(?: class="code-block[^"]*")?>/g, '<pre>')
    .replaceAll('</pre></div>', '</pre>')
    .replace(/<span class="\w{1,2}">|(?<=<code>.*)<\/span>/gs, '')
    .replace(/<code class="chroma language-[^"]*">/g, '<code>')
    .replace(/(<h[1-6]) id="user-content-[^"]*"/g, '$1')
    .replaceAll(' rel="nofollow"', '')
}

/** Whether two texts of HTML show the same. */
export const same = (a: string, b: string) => trimmed(a) === trimmed(b)

/** Without space that no browser shows: before the end of an item, and around the text. */
const trimmed = (text: string) => text.replace(/\n(?=<\/li>)/g, '').trim()
