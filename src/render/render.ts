import type { Element, Root } from 'hast'
import { done } from '../common/outcome.ts'
import { parseContext } from './context.ts'
import { type FileKind, fileKind, renderFile } from './file.ts'
import { sanitize } from './html/sanitize.ts'
import { serialize } from './html/serialize.ts'
import { contentOf, elementOf, text } from './html/tree.ts'
import { type FrontMatter, readFrontMatter, showFrontMatter } from './markdown/frontmatter.ts'
import { nameHeadings, prefixIds, prefixIdsAndFragments, tableOfContents } from './markdown/headings.ts'
import { createLinks, type Links } from './markdown/links.ts'
import { parseMarkdown } from './markdown/markdown.ts'
import { mentionsIn } from './markdown/mentions.ts'
import { postProcess } from './markdown/postprocess.ts'
import { resolveLinks } from './markdown/resolve.ts'
import { loadLazily, shapeMarkdown, undecorate } from './markdown/structure.ts'
import {
  maxHtmlLength,
  type RenderMode,
  type RenderOutcome,
  type RenderRequest,
  renderFailed,
  renderModes,
} from './request.ts'

/**
 * Renders one text: HTML reduced to the allow-list, or the reason for a failure. Never throws for any input; it may
 * take long, so it runs in a worker (`pool.ts`).
 */
export function render(request: RenderRequest): RenderOutcome {
  const mode = request.wiki ? 'wiki' : renderModes.find((each) => each === request.mode)
  if (mode === undefined) return renderFailed('mode', `unsupported render mode: ${request.mode}`)
  try {
    return renderIn(mode, request)
  } catch (error) {
    // The parsers recurse, so the stack limits the nesting depth of a text.
    if (!(error instanceof RangeError)) throw error
    return renderFailed('depth', 'the text is nested too deeply to be rendered', String(error))
  }
}

function renderIn(mode: RenderMode, request: RenderRequest): RenderOutcome {
  const rich = mode !== '' && mode !== 'markdown'
  const source = normalize(request.text, rich)
  const kind = mode === 'file' ? fileKind(request.filePath, source) : 'markdown'
  if (kind === undefined) return renderFailed('renderer', 'unable to find a render')
  if (source === '') return done({ html: '', mentions: [] })
  const links = createLinks(mode, parseContext(request.context, request.host, request.filePath), request.host)
  const root = build(kind, mode, source, links, request)
  if (root === undefined) return renderFailed('renderer', 'unable to find a render')
  if (rich && !request.decorate) undecorate(root)
  const shown = sanitize(root, { rich, bitmaps: kind === 'notebook' })
  const html = serialize(shown, rich)
  if (html.length > maxHtmlLength) return renderFailed('size', 'the rendered text would be too large')
  return done({ html: html === '' || html.endsWith('\n') ? html : `${html}\n`, mentions: mentionsIn(shown) })
}

/** Line ends become line feeds; removes a byte order mark and, except in the raw modes, NUL. */
function normalize(source: string, rich: boolean): string {
  const lines = source.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
  return rich ? lines.replaceAll('\0', '') : lines
}

function build(
  kind: FileKind,
  mode: RenderMode,
  source: string,
  links: Links,
  request: RenderRequest,
): Root | undefined {
  if (kind === 'markdown') return markdown(source, mode, links, request)
  const tree = renderFile(kind, source, request.filePath, (part) => markdown(part, mode, links, request))
  if (tree === undefined) return undefined
  if (kind === 'org') finish(tree, links, request, false)
  else if (kind === 'notebook') {
    // Only for HTML outputs: the Markdown cells are finished already.
    prefixIds(tree)
    resolveLinks(tree, links)
  }
  if (kind === 'org' && request.decorate) loadLazily(tree)
  return tree
}

function markdown(source: string, mode: RenderMode, links: Links, request: RenderRequest): Root {
  const rich = mode !== '' && mode !== 'markdown'
  const matter = readFrontMatter(source)
  const before = source.slice(0, matter?.length ?? 0)
  const root = parseMarkdown(source.slice(before.length), {
    rich,
    breaks: mode === 'comment',
    directions: request.decorate,
    footnoteSuffix: mode === 'comment' ? '-preview' : '',
    bytesBefore: Buffer.byteLength(before),
  })
  shapeMarkdown(root)
  const named = rich && mode !== 'comment'
  if (named) nameHeadings(root)
  if (rich) finish(root, links, request, mode === 'comment' || mode === 'wiki')
  else prefixIdsAndFragments(root)
  if (request.decorate) loadLazily(root)
  return matter === undefined ? root : frame(root, matter, named)
}

function finish(root: Root, links: Links, request: RenderRequest, short: boolean): void {
  prefixIds(root)
  postProcess(root, links, request, short)
}

/** Adds what the front matter requests. */
function frame(root: Root, matter: FrontMatter, named: boolean): Root {
  const contents = named && matter.contents ? tableOfContents(root, 'Table of Contents') : undefined
  const above = [contents, showFrontMatter(matter)].filter((part): part is Element => part !== undefined)
  const children = [...above.flatMap((part) => [part, text('\n')]), ...contentOf(root)]
  if (matter.lang === undefined) return { type: 'root', children }
  return { type: 'root', children: [elementOf('div', { lang: matter.lang }, children)] }
}
